#pragma once
#include <string>
#include <string_view>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// Everything about an evaluation as JSON: under "outputs" the figures with their breakdowns per operand
/// and memory level, under "inputs" what was evaluated. The layout is that of ZigZag's result files
/// (docs/formats.md); the parts of the inputs that a sum does not have are null. Figures that stages
/// added follow as "metrics".
std::string complete_json(const Evaluation& evaluation);
/// The same in memory that the thread keeps: it holds until the thread's next call.
std::string_view complete_json_view(const Evaluation& evaluation);

}  // namespace zz::core
