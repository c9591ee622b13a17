#include "core/base/quantities.hpp"

#include <doctest/doctest.h>
#include <string>

namespace {

using namespace zz::core;

TEST_CASE("people read four digits and no exponents") {
  CHECK(four_digits(0) == "0");
  CHECK(four_digits(1234.5678) == "1235");
  CHECK(four_digits(12.345678) == "12.35");
  CHECK(four_digits(2.5) == "2.5");
  CHECK(four_digits(123456) == "123500");
  CHECK(four_digits(0.000123456) == "0.0001235");
}

TEST_CASE("a fraction has two digits in percent") {
  CHECK(percent_text(0.0012) == "0.12 %");
  CHECK(percent_text(0.034) == "3.4 %");
  CHECK(percent_text(0.998) == "100 %");
  CHECK(percent_text(1.6) == "160 %");
}

TEST_CASE("the unit of an energy leaves one to three digits before the point") {
  CHECK(std::string(energy_unit(0).name) == "pJ");
  CHECK(std::string(energy_unit(999).name) == "pJ");
  CHECK(std::string(energy_unit(1e3).name) == "nJ");
  CHECK(std::string(energy_unit(7.5e9).name) == "mJ");
  CHECK(energy_words(7.5e9) == "7.5 mJ");
  CHECK(energy_words(3e15) == "3000 J");
  CHECK(power_text(0.0456789) == "45.68 mW");
  CHECK(time_text(0.0025) == "2.5 ms");
  CHECK(tops_text(0.05) == "50 GOP/s");
}

}  // namespace
