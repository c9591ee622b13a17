#include "core/store/content_key.hpp"

#include <array>
#include <doctest/doctest.h>
#include <string_view>

TEST_CASE("content key: where a text ends counts") {
  const std::array<std::string_view, 2> a{"ab", "c"}, b{"a", "bc"};
  CHECK(zz::core::content_key(a) != zz::core::content_key(b));
  CHECK(zz::core::content_key(a) == zz::core::content_key(a));
  CHECK(zz::core::to_string(zz::core::content_key(a)).size() == 32);
}
