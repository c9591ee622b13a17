#pragma once
#include <string>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// The loop nest of an evaluation as text, in the layout of ZigZag's loop_ordering.txt, with an empty line
/// at the end. A layer that is unrolled completely has no temporal loop; a sum has no listing ("").
std::string loop_listing(const Evaluation& evaluation);

}  // namespace zz::core
