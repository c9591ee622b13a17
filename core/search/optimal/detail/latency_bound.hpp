#pragma once
#include <array>
#include <utility>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/search/optimal/detail/traffic.hpp"

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
    double once[ways] = {};    ///< one-time transfers, if nothing hides
    double floor[ways] = {};   ///< the part of these that cannot hide
    int transfers[ways] = {};  ///< number of these
    double traffic = 0;        ///< all transfers but partial sums that return: maybe none do
    double repeated = 0;       ///< of these, what passes more than once
  };
  struct Residency {
    bool possible = false;
    double waiting[ways] = {};  ///< for the first or last portions of repeated transfers
    std::vector<OnPort> ports;  ///< as CostTables::ports
  };
  std::vector<Residency> residencies;  ///< by closed boundaries, without boundary 0
};

/// `ragged`: tiles need not divide their loops.
OperandLatency operand_latency(OperandTraffic& traffic, const CostTables& tables, int operand,
                               const CostModelOptions* ragged = nullptr);

/// Further causes for which the units wait, besides ports that fall behind.
struct FurtherWaits {
  std::vector<double> overlaps = {};  ///< by port, as CostTables::ports; none: all hide everything
  double tile_interval = 0;           ///< cycles of computation and stalls, for one tile in each memory
  double line_cycles = 0;             ///< of the port that takes longest for lines that are touched first
};

/// The end of the cycles that count.
enum class Until {
  finished,    ///< the units have finished: without off-loading (Evaluation::latency_total1)
  off_loaded,  ///< the last results have left: the whole latency
};

/// A lower bound of the latency of all temporal mappings, from OperandLatency of each operand: the least
/// over all combinations of residencies. For one combination and one port:
///
/// * Computation plus stalls, X, is at least the load of the port, because load that does not fit into the
///   computation stalls the units.
/// * X is followed by waiting for the first or last portions of repeated transfers, and by the one-time
///   transfers that are not hidden. At most the cycles of the computation that repeated transfers leave
///   free hide each of them, and of what is left each stalled cycle one. (Rules::stalls_hide_at_every_port:
///   such a share of X hides them together.) So the sum does not fall when X rises.
/// * The latency is no shorter than all that goes through the port, where that is waited for.
/// * What a port does not hide, tile intervals and lines that are touched for the first time (FurtherWaits)
///   lengthen the stalls, or the latency.
/// * On-loading of either input counts, or of one input together with the boundaries of the other whose
///   ports serve both, whichever takes longer.
///
/// Where stalls and waiting trade against each other, their least sum replaces the sum of the least.
/// Time: O(residencies of all operands * ports).
class LatencyBound {
 public:
  /// `widths`: bits per cycle of CostTables::ports. `iterations`: of all temporal loops.
  LatencyBound(const std::vector<double>& widths, const StepCycles& step, const Rules& rules,
               FurtherWaits waits = {})
      : widths_(widths),
        waits_(std::move(waits)),
        step_(step),
        uses_spare_cycles_(!rules.loading_on_top),
        hides_together_(rules.stalls_hide_at_every_port),
        waits_for_ports_(!rules.faster_than_ports) {}

  /// Share of the steps that the unrolling makes (StepCycles::made).
  void set_made(double made) { step_.made = made; }
  /// One or two inputs behind the output. `at_any_pace`: `iterations` are array cycles at least, and how
  /// long periods are is not known: no stalls count, and one-time transfers hide as far as they can.
  /// `until` the units have finished, nothing counts of the last portions of the output, nor what ports
  /// are waited for then.
  double of(double iterations, const std::vector<const OperandLatency*>& operands, bool at_any_pace = false,
            Until until = Until::off_loaded) const;

 private:
  using Residencies = std::vector<const OperandLatency::Residency*>;
  using Ways = std::array<OperandLatency::Counted, max_operands>;

  double at(const Residencies& residencies, double iterations, bool at_any_pace, Until until) const;

  std::vector<double> widths_;
  FurtherWaits waits_;
  StepCycles step_;
  bool uses_spare_cycles_, hides_together_, waits_for_ports_;
};

}  // namespace zz::core
