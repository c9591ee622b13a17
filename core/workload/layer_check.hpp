#pragma once
#include <cstddef>
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
  std::string hint;  ///< what would be right; may be empty
};

/// Loops without iterations, and names that stand twice.
std::vector<LayerProblem> loop_problems(const Layer& layer);

/// Operands over dimensions that are neither loops nor data dimensions of relations, or over one twice; and
/// count_problem(). For layers without loop_problems().
std::vector<LayerProblem> operand_problems(const Layer& layer);

}  // namespace zz::core
