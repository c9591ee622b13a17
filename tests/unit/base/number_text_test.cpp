#include "core/base/number_text.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>

using namespace zz::core;

TEST_CASE("number text: numbers are read as C reads them in its own locale") {
  CHECK(number_of("0.9") == 0.9);
  CHECK(number_of("-1.5e3") == -1500);
  CHECK(number_of("+.5") == 0.5);
  CHECK(number_of("7.") == 7);
  CHECK(number_of("inf") == std::numeric_limits<double>::infinity());
  CHECK_FALSE(number_of("0,9").has_value());
  CHECK_FALSE(number_of("").has_value());
  CHECK_FALSE(number_of(" 1").has_value());
  CHECK_FALSE(number_of("+-1").has_value());
  CHECK_FALSE(number_of("1 ").has_value());
  CHECK(number_at_begin_of("2.5 * x").length == 3);
  CHECK(number_at_begin_of("+2.5*x").length == 4);
  CHECK(number_at_begin_of("x").length == 0);
}

TEST_CASE("number text: what no double can have is infinite or 0") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(number_of("1e999") == infinity);
  CHECK(number_of("-1e+999") == -infinity);
  CHECK(number_of("1e-999") == 0);
  CHECK(std::signbit(*number_of("-0.5e-999")));
  CHECK(number_of("1" + std::string(400, '0')) == infinity);
  CHECK(number_of("0." + std::string(400, '0') + "1") == 0);
  CHECK(number_of("0." + std::string(100, '0') + "1e500") == infinity);
  CHECK(number_of("1e99999999999999999999") == infinity);
  CHECK(number_of("1e-99999999999999999999") == 0);
}
