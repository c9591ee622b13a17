#pragma once
#include <array>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/search/optimal/detail/operand_traffic.hpp"

namespace zz::core {

/// Lower bounds of the demands of one operand on the ports, if it could choose the loop order by itself.
/// They are tabulated by the number of its boundaries that are closed before all loops are placed.
/// Transfers over these boundaries, and to the units, are repeated; transfers over outer boundaries are
/// made once. Each figure is bounded by itself, with all irrelevant loops below the boundary. Figures are
/// in cycles unless said otherwise.
struct OperandLatency {
  /// The boundaries that the units wait for. Inputs: all boundaries, or only the ones whose ports on both
  /// sides serve both inputs (core/cost/loading.hpp). Output: all.
  enum Counted { none, shared, all, ways };

  struct OnPort {
    double load = 0;      ///< repeated transfers, without the first portion of each
    double stalls = 0;    ///< by how much repeated transfers take longer than their portions last
    double required = 0;  ///< bits per cycle while the units compute
    /// `load` or `stalls` plus waiting for the first (or last) portions of repeated transfers: where one is
    /// small the other is large.
    double load_and_waiting[ways] = {}, stalls_and_waiting[ways] = {};
    double once[ways] = {};   ///< one-time transfers, if nothing hides
    double floor[ways] = {};  ///< the part of these that cannot hide
    double traffic = 0;       ///< all transfers but partial sums that return
  };
  struct Residency {
    bool possible = false;
    double waiting[ways] = {};  ///< for the first or last portions of repeated transfers
    std::vector<OnPort> ports;  ///< as CostTables::ports
  };
  std::vector<Residency> residencies;  ///< by closed boundaries, without boundary 0
};

OperandLatency operand_latency(OperandTraffic& traffic, const CostTables& tables, int operand);

/// A lower bound of the latency of all temporal mappings, from OperandLatency of each operand: the least
/// over all combinations of residencies. For one combination and one port:
///
/// * Computation plus stalls, X, is at least the load of the port, because load that does not fit into the
///   computation stalls the units.
/// * X is followed by waiting for the first or last portions of repeated transfers, and by the one-time
///   transfers that are not hidden. At most the cycles that repeated transfers leave free, a share of X,
///   hide them. So the sum does not fall when X rises.
/// * The latency is no shorter than all that goes through the port, where that is waited for.
/// * On-loading of either input counts, or of one input together with the boundaries of the other whose
///   ports serve both, whichever takes longer.
///
/// Where stalls and waiting trade against each other, their least sum replaces the sum of the least.
/// Time: O(residencies of all operands * ports).
class LatencyBound {
 public:
  /// `widths`: bits per cycle of CostTables::ports. `iterations`: of all temporal loops.
  LatencyBound(const std::vector<double>& widths, double cycles_per_operation, const Rules& rules)
      : widths_(widths),
        cycles_per_operation_(cycles_per_operation),
        uses_spare_cycles_(!rules.loading_on_top),
        waits_for_ports_(!rules.faster_than_ports) {}

  /// One or two inputs behind the output.
  double of(double iterations, const std::vector<const OperandLatency*>& operands) const;

 private:
  using Residencies = std::vector<const OperandLatency::Residency*>;
  using Ways = std::array<OperandLatency::Counted, max_operands>;

  double at(const Residencies& residencies, double iterations) const;

  std::vector<double> widths_;
  double cycles_per_operation_;
  bool uses_spare_cycles_, waits_for_ports_;
};

}  // namespace zz::core
