#include "core/base/factors.hpp"

#include <algorithm>

namespace zz::core {

std::vector<std::pair<std::int64_t, int>> prime_factors(std::int64_t number) {
  std::vector<std::pair<std::int64_t, int>> factors;
  for (std::int64_t prime = 2; prime <= number / prime; ++prime) {
    int count = 0;
    for (; number % prime == 0; number /= prime) ++count;
    if (count > 0) factors.emplace_back(prime, count);
  }
  if (number > 1) factors.emplace_back(number, 1);
  return factors;
}

std::vector<std::int64_t> divisors_of(std::int64_t number) {
  std::vector<std::int64_t> divisors{1};
  for (const auto& [prime, count] : prime_factors(number)) {
    const std::size_t before = divisors.size();
    std::int64_t power = 1;
    for (int i = 0; i < count; ++i) {
      power *= prime;
      for (std::size_t other = 0; other < before; ++other) divisors.push_back(divisors[other] * power);
    }
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

}  // namespace zz::core
