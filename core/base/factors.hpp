#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace zz::core {

// Both take a number of 1 or more, and the time of the root of its largest prime factor or of its second
// largest one.

/// Its prime factors, ascending, and how often each divides it.
std::vector<std::pair<std::int64_t, int>> prime_factors(std::int64_t number);

/// Its divisors, ascending, 1 and the number among them.
std::vector<std::int64_t> divisors_of(std::int64_t number);

}  // namespace zz::core
