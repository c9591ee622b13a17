#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// One thing that is wrong with a layer, whether a file or a stage made it. Its words follow the name of
/// the part: "has the dimension Z, which ...".
struct LayerProblem {
  enum class Part { loop_name, loop_size, operand, whole } part;
  std::size_t index;  ///< of the loop or the operand
  std::string what;
  std::string hint;  ///< the right way; may be empty
};

/// Loops without iterations, and names that stand twice.
std::vector<LayerProblem> loop_problems(const Layer& layer);

/// Operands over dimensions that are neither loops nor data dimensions of relations, or over one twice; and
/// count_problem(). For layers without loop_problems().
std::vector<LayerProblem> operand_problems(const Layer& layer);

/// Limit for strides, dilations, sizes and paddings of data dimensions, and for the loops that step through
/// them: keeps their products in range. docs/limits.md names it.
inline constexpr std::int64_t largest_relation_number = std::int64_t{1} << 31;

/// Why the counts of a layer (operations, and bits of each operand) are not all exact in 64-bit integers
/// and doubles, as "has 1e+20 operations on up to 8 bits, which is ..."; "" when they are.
std::string count_problem(const Layer& layer);

}  // namespace zz::core
