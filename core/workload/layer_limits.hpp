#pragma once
#include <cstdint>
#include <string>

#include "core/workload/layer.hpp"

namespace zz::core {

/// Of strides, dilations, sizes and paddings of data dimensions, and of the loops that step through them:
/// keeps their products in range. docs/limits.md names it.
inline constexpr std::int64_t largest_relation_number = std::int64_t{1} << 31;

/// Why the counts of a layer (operations, and bits of each operand) are not all exact in 64-bit integers
/// and doubles, as "has 1e+20 operations on up to 8 bits, which is ..."; "" when they are.
std::string count_problem(const Layer& layer);

}  // namespace zz::core
