#pragma once
#include <optional>
#include <string>

#include "core/workload/layer.hpp"

namespace zz::core {

/// Problem of a layout for a layer, and its remedy.
struct LayoutProblem {
  std::string message, hint;
};

/// Nothing for a layout that lists the dimensions of its operand, behind ".." at least one of them, and for
/// one of an operand that the layer does not have.
std::optional<LayoutProblem> find_layout_problem(const Layer& layer, const OperandLayout& layout);

/// The dimension of the operand along which elements follow each other in memory; nullptr where the mapping
/// of the layer says nothing of its layout. Throws InputError for a layout with a problem.
const std::string* innermost_dimension(const Layer& layer, int operand);

}  // namespace zz::core
