#pragma once
#include <cstdint>
#include <vector>

namespace zz::core {

/// The divisors of a number of 1 or more, ascending, 1 and the number among them. Takes the time of the
/// root of its largest prime factor or of its second largest one.
std::vector<std::int64_t> divisors_of(std::int64_t number);

}  // namespace zz::core
