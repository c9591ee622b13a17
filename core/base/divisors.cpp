#include "core/base/divisors.hpp"

#include <algorithm>

namespace zz::core {

std::vector<std::int64_t> divisors_of(std::int64_t number) {
  std::vector<std::int64_t> divisors{1};
  const auto take = [&](std::int64_t prime) {
    const std::size_t before = divisors.size();
    std::int64_t power = 1;
    for (; number % prime == 0; number /= prime) {
      power *= prime;
      for (std::size_t i = 0; i < before; ++i) divisors.push_back(divisors[i] * power);
    }
  };
  for (std::int64_t factor = 2; factor <= number / factor; ++factor)
    if (number % factor == 0) take(factor);
  if (number > 1) take(number);
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

}  // namespace zz::core
