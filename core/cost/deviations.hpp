#pragma once
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/cost/deviation.hpp"

namespace zz::core {

/// Changes by the default in the figures of an evaluation, against the newest ZigZag (3.9); nothing with
/// rules that keep its figures. Costs the mapping once more for each rule that can have changed it.
std::vector<Deviation> find_deviations(const CostModel& model, const Evaluation& evaluation);

}  // namespace zz::core
