#include "host/plugins/released_abi.hpp"

#include <doctest/doctest.h>

namespace {

TEST_CASE("a plugin of every released minor up to the host's loads, and no other") {
  using zz::host::loads;
  CHECK_FALSE(loads(0, 0));
  for (std::uint16_t minor = 1; minor <= ZZ_ABI_MINOR; ++minor) CHECK(loads(0, minor));
  CHECK_FALSE(loads(0, ZZ_ABI_MINOR + 1));
  CHECK_FALSE(loads(1, 1));
}

}  // namespace
