#include <doctest/doctest.h>

#include "core/base/text.hpp"

using zz::core::printable;
using zz::core::printable_line;

TEST_CASE("printable: what a terminal would act on, and what is no UTF-8, becomes question marks") {
  CHECK(printable("a\tb\nc \"d\" \xC3\xA9 \xE4\xB8\xAD") == "a\tb\nc \"d\" \xC3\xA9 \xE4\xB8\xAD");
  CHECK(printable(std::string("\x1b[31m\0\r\x7f|", 9)) == "?[31m???|");
  CHECK(printable("x\xC2\x9B|y") == "x??|y");
  CHECK(printable("\xFF\xFE|\xC3|\xE4\xB8") == "??|?|??");
  CHECK(printable("") == "");
}

TEST_CASE(
    "printable: characters that change the direction of writing, or are not seen, become question marks") {
  CHECK(printable("a\xE2\x80\xAE"
                  "b|\xE2\x81\xA6|\xD8\x9C|\xEF\xBB\xBF|\xE2\x80\x8B") == "a???b|???|??|???|???");
  CHECK(printable("\xE2\x80\x94 \xD7\xA9 \xE2\x82\xAC") == "\xE2\x80\x94 \xD7\xA9 \xE2\x82\xAC");
}

TEST_CASE("printable: a line stays one line") { CHECK(printable_line("a\tb\nc\r") == "a?b?c?"); }

TEST_CASE("the lines of a text become one") {
  CHECK(zz::core::on_one_line("first\n\tsecond\n") == "first; second");
  CHECK(zz::core::on_one_line("\n").empty());
}
