#pragma once
#include <string_view>
#include <vector>

#include "core/cost/cost_model.hpp"

namespace zz::core {

/// A row of docs/deviations.md that moved the figures of a mapping.
struct Deviation {
  std::string_view rule;  ///< the member of Rules
  std::string_view what;  ///< half a sentence: what zz counts, and what ZigZag
  /// Change of the figures against those of the same mapping with the rule, as a share of these.
  double energy = 0, latency = 0;
};

/// What the default changes in the figures of an evaluation, against the newest ZigZag (3.9); nothing with
/// rules that keep its figures. Costs the mapping once more for each rule that can have changed it.
std::vector<Deviation> find_deviations(const CostModel& model, const Evaluation& evaluation);

}  // namespace zz::core
