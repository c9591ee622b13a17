#include "core/text/number_text.hpp"

#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <limits>
#include <random>
#include <string>

using namespace zz::core;

namespace {

std::string text_of(double number) {
  char place[longest_number];
  return {place, put_number(place, number)};
}

std::string text_of_integer(std::int64_t number) {
  char place[longest_number];
  return {place, put_integer(place, number)};
}

/// What the shortest text is, by the library, with a sign that it is no integer.
std::string expected(double number) {
  if (number == std::trunc(number) && std::fabs(number) < 1e15) return fmt::format("{:.1f}", number);
  const std::string text = fmt::format("{}", number);
  return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

}  // namespace

TEST_CASE("integers") {
  CHECK(text_of_integer(0) == "0");
  CHECK(text_of_integer(9) == "9");
  CHECK(text_of_integer(10) == "10");
  CHECK(text_of_integer(-7) == "-7");
  CHECK(text_of_integer(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
}

TEST_CASE("numbers show that they may be broken") {
  CHECK(text_of(0.0) == "0.0");
  CHECK(text_of(-0.0) == "-0.0");
  CHECK(text_of(48) == "48.0");
  CHECK(text_of(0.07177734375) == "0.07177734375");
  CHECK(text_of(111249.59999999999) == "111249.59999999999");
  CHECK(text_of(-24233876.736) == "-24233876.736");
  CHECK(text_of(0.001) == "0.001");
  CHECK(text_of(0.0001) == "0.0001");
  CHECK(text_of(1e-5) == "1e-05");
  CHECK(text_of(999999999.999999) == "999999999.999999");
  CHECK(text_of(1e15 + 0.5) == "1000000000000000.5");
  CHECK(text_of(1e16) == "1e+16");
  CHECK(text_of(-std::numeric_limits<double>::max()) == "-1.7976931348623157e+308");
  CHECK(text_of(std::numeric_limits<double>::denorm_min()) == "5e-324");
}

TEST_CASE("numbers have the fewest digits that read back, however they come about") {
  std::mt19937_64 random(1);
  int wrong = 0;
  const auto check = [&](double number) {
    wrong += std::isfinite(number) && text_of(number) != expected(number);
  };
  for (int i = 0; i < 20000; ++i) {
    const double decimal =
        static_cast<double>(random() % 1000000000) / std::pow(10, static_cast<double>(random() % 12));
    for (const double number : {decimal, -decimal, std::nextafter(decimal, 0),
                                std::nextafter(decimal, 1e300), decimal * 3, decimal / 7})
      check(number);
    check(std::bit_cast<double>(random()));
  }
  CHECK(wrong == 0);
}

TEST_CASE("factors that are whole look like integers") {
  const auto factor_text = [](double number) {
    char text[longest_number];
    return std::string(text, put_factor(text, number));
  };
  CHECK(factor_text(48) == "48");
  CHECK(factor_text(28.8) == "28.8");
  CHECK(factor_text(1.9333333333333333) == "1.9333333333333333");
  CHECK(factor_text(1e16) == "1e+16");
}
