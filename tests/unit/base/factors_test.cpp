#include "core/base/factors.hpp"

#include <doctest/doctest.h>

using zz::core::divisors_of;

TEST_CASE("divisors are all there, ascending, each once") {
  CHECK(divisors_of(1) == std::vector<std::int64_t>{1});
  for (std::int64_t number = 1; number < 200; ++number) {
    std::vector<std::int64_t> expected;
    for (std::int64_t divisor = 1; divisor <= number; ++divisor)
      if (number % divisor == 0) expected.push_back(divisor);
    CHECK(divisors_of(number) == expected);
  }
}

TEST_CASE("divisors of large numbers are found without looking at every number below") {
  CHECK(divisors_of(std::int64_t{1} << 62).size() == 63);
  CHECK(divisors_of(999'999'999'989) == std::vector<std::int64_t>{1, 999'999'999'989});
  CHECK(divisors_of(100'000'000).size() == 81);
}
