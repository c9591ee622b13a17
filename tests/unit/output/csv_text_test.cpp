#include "core/output/csv_text.hpp"

#include <doctest/doctest.h>

TEST_CASE("fields are quoted where they need it") {
  CHECK(zz::core::csv_text({{"a", "b c"}, {"1,5", "say \"x\""}, {"", "c"}}) ==
        "a,b c\n\"1,5\",\"say \"\"x\"\"\"\n,c\n");
  CHECK(zz::core::csv_text({}) == "");
}

TEST_CASE("no cell is a formula, ends its row, or acts on a terminal") {
  CHECK(zz::core::csv_text({{"=1+1", "-1.5e3", "+2", "-", "@sum", "-cmd"}}) ==
        "'=1+1,-1.5e3,+2,'-,'@sum,'-cmd\n");
  CHECK(zz::core::csv_text({{"=a,b", "two\nlines\tx", "\xE2\x80\xAEx", "\x1b[31m"}}) ==
        "\"'=a,b\",two?lines?x,???x,?[31m\n");
}
