#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cost/cost_parts.hpp"
#include "core/cost/evaluation.hpp"
#include "plugins/transformer/serving_plan.hpp"

namespace zz::plugins {

/// The cost of a row of a bundle, or of a piece of it.
struct ServingCost {
  double cycles = 0;
  double energy = 0;   ///< pJ
  double compute = 0;  ///< cycles in which all units would be busy: no mapping takes fewer
  double memory = 0;   ///< cycles of the port that moves most above the lowest memories, layer by layer
  std::vector<core::Limit> limits;  ///< by limiter, most first
  bool together = false;            ///< some of its layers are mapped as a fused group
  /// The axes of the larger row as which it runs, as that takes less; empty: it runs as itself.
  std::vector<std::int64_t> as;
  std::vector<ServingRow::Use> uses;  ///< the pieces that it is the cost of
  std::string without;                ///< why it has no cost, as a layer has no mapping; "": it has one

  /// "dram.rw_port_1"; "" of a row that takes no cycles.
  std::string limited_by() const;
  void add(const ServingCost& other, double times);
};

/// The cost of layers that run one after the other, each once.
ServingCost cost_of_layers(const std::vector<std::shared_ptr<const core::Evaluation>>& layers);

/// The cost of each row, by those of the pieces. Work may also be done as a larger row of its kind has it,
/// with rest that counts for nothing: where that takes less, as sizes divide better or a limit ended a
/// search, it is the cost. So no row costs more cycles than one that is larger along some axis.
std::vector<ServingCost> costs_of_rows(const ServingPlan& plan, const std::vector<ServingCost>& pieces);

}  // namespace zz::plugins
