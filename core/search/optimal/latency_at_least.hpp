#pragma once
#include <array>
#include <vector>

#include "core/cost/cost_model_options.hpp"
#include "core/search/optimal/operand_latency.hpp"

namespace zz::core {

/// Cycles that every temporal mapping takes at least, from what each operand asks of the ports.
///
/// Whatever the order of the loops, each operand ends with some of its links closed; the least over all
/// combinations counts. For one of these, and one port:
///
/// * Computation and stalls together, X, are no less than what the port moves repeatedly (`load`), because
///   it stalls the units for what does not fit into the computation.
/// * On top of X comes waiting for the first or last portions of repeated links, and what is left of
///   transfers that are made once: in the cycles that repeated transfers leave free, a share of X, no more
///   than these can be hidden. So the sum does not fall when X rises.
/// * Of on-loading counts that of either input, or of one together with what the other has to itself on
///   ports that serve both, whichever takes longer.
///
/// Where stalls and waiting trade against each other, their least sum takes the place of the sum of the
/// least.
class LatencyAtLeast {
 public:
  /// `widths`: bits per cycle of CostTables::ports. `iterations`: of all temporal loops.
  LatencyAtLeast(const std::vector<double>& widths, double cycles_per_operation, bool uses_spare_cycles)
      : widths_(widths),
        cycles_per_operation_(cycles_per_operation),
        uses_spare_cycles_(uses_spare_cycles) {}

  /// One or two inputs behind the output.
  double of(double iterations, const std::vector<const OperandLatency*>& operands) const;

 private:
  using Endings = std::vector<const OperandLatency::Ending*>;
  using Ways = std::array<OperandLatency::Counted, max_operands>;

  double at(const Endings& endings, double iterations) const;

  std::vector<double> widths_;
  double cycles_per_operation_;
  bool uses_spare_cycles_;
};

}  // namespace zz::core
