#include "core/text/printable.hpp"

#include <doctest/doctest.h>

using zz::core::printable;

TEST_CASE("printable: what a terminal would act on, and what is no UTF-8, becomes question marks") {
  CHECK(printable("a\tb\nc \"d\" \xC3\xA9 \xE4\xB8\xAD") == "a\tb\nc \"d\" \xC3\xA9 \xE4\xB8\xAD");
  CHECK(printable(std::string("\x1b[31m\0\r\x7f|", 9)) == "?[31m???|");
  CHECK(printable("x\xC2\x9B|y") == "x??|y");
  CHECK(printable("\xFF\xFE|\xC3|\xE4\xB8") == "??|?|??");
  CHECK(printable("") == "");
}
