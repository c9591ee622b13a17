#include <cmath>
#include <doctest/doctest.h>

#include "core/input/yaml/node.hpp"

using namespace zz::core::yaml;

TEST_CASE("integers as PyYAML reads them") {
  CHECK(parse_int("0") == 0);
  CHECK(parse_int("-12") == -12);
  CHECK(parse_int("+7") == 7);
  CHECK(parse_int("1_000_000") == 1000000);
  CHECK(parse_int("010") == 8);
  CHECK(parse_int("0x1F") == 31);
  CHECK(parse_int("0b101") == 5);
  CHECK(parse_int("0_17") == 15);
  CHECK(parse_int("1:30") == 90);
  CHECK(parse_int("1:5:09") == 3909);
  CHECK(parse_int("9223372036854775807") == 9223372036854775807);
  for (const char* text : {"", "08", "1.0", "1e3", "x", "0o17", "1:60", "1:", "1:2_0", "1:123", "-", "+-1",
                           "9223372036854775808"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_int(text).has_value());
  }
  CHECK(looks_like_int("99999999999999999999"));
}

TEST_CASE("floating-point numbers as PyYAML reads them") {
  CHECK(parse_float("1.5") == 1.5);
  CHECK(parse_float("-0.25") == -0.25);
  CHECK(parse_float(".5") == 0.5);
  CHECK(parse_float("3.") == 3.0);
  CHECK(parse_float("1.0e+3") == 1000.0);
  CHECK(parse_float("6.5E-1") == 0.65);
  CHECK(parse_float("1_0.2_5") == 10.25);
  CHECK(parse_float("1:30.5") == 90.5);
  CHECK(std::isinf(*parse_float("-.inf")));
  CHECK(std::isnan(*parse_float(".nan")));
  for (const char* text : {"", "1", "1e3", "1.0e3", ".", "-", "1.2.3", "inf", "nan", "1.x", ".e+1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_float(text).has_value());
  }
}

TEST_CASE("truth values and empty values as PyYAML reads them") {
  for (const char* text : {"yes", "On", "TRUE"}) CHECK(parse_bool(text) == true);
  for (const char* text : {"no", "Off", "FALSE"}) CHECK(parse_bool(text) == false);
  for (const char* text : {"y", "n", "tRue", "1"}) CHECK_FALSE(parse_bool(text).has_value());
  for (const char* text : {"", "~", "null", "NULL"}) CHECK(is_null_text(text));
  CHECK_FALSE(is_null_text("none"));
}
