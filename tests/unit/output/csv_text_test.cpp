#include "core/output/csv_text.hpp"

#include <doctest/doctest.h>

TEST_CASE("fields are quoted where they need it") {
  CHECK(zz::core::csv_text({{"a", "b c"}, {"1,5", "say \"x\""}, {"", "two\nlines"}}) ==
        "a,b c\n\"1,5\",\"say \"\"x\"\"\"\n,\"two\nlines\"\n");
  CHECK(zz::core::csv_text({}) == "");
}
