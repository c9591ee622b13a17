#pragma once
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// What is impossible about an evaluation of one layer, one sentence each; empty for a sound one. Checked
/// are signs, the order of the latencies, utilisations of at most 1, sums that must agree, and
/// conservation: what one memory gives away to the next above or below it, that one takes.
///
/// Figures that reproduce ZigZag's defects (`compat`) need not pass.
std::vector<std::string> audit(const Evaluation& evaluation);

}  // namespace zz::core
