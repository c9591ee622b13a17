#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/traffic.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/workload/layer.hpp"

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
    int transfers[ways] = {};  ///< how many these are
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

OperandLatency operand_latency(OperandTraffic& traffic, const CostTables& tables, int operand);

/// What keeps the units waiting besides ports that fall behind.
struct FurtherWaits {
  std::vector<double> overlaps = {};  ///< by port, as CostTables::ports; none: all hide everything
  double tile_interval = 0;           ///< cycles of computation and stalls, for one tile in each memory
  double line_cycles = 0;             ///< of the port that takes longest for lines that are touched first
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
/// lengthen
///   the stalls, or the latency.
/// * On-loading of either input counts, or of one input together with the boundaries of the other whose
///   ports serve both, whichever takes longer.
///
/// Where stalls and waiting trade against each other, their least sum replaces the sum of the least.
/// Time: O(residencies of all operands * ports).
class LatencyBound {
 public:
  /// `widths`: bits per cycle of CostTables::ports. `iterations`: of all temporal loops.
  LatencyBound(const std::vector<double>& widths, double cycles_per_operation, const Rules& rules,
               FurtherWaits waits = {})
      : widths_(widths),
        waits_(std::move(waits)),
        cycles_per_operation_(cycles_per_operation),
        uses_spare_cycles_(!rules.loading_on_top),
        hides_together_(rules.stalls_hide_at_every_port),
        waits_for_ports_(!rules.faster_than_ports) {}

  /// One or two inputs behind the output. `at_any_pace`: `iterations` are array cycles at least, and how
  /// long periods are is not known: no stalls count, and one-time transfers hide as far as they can.
  double of(double iterations, const std::vector<const OperandLatency*>& operands,
            bool at_any_pace = false) const;

 private:
  using Residencies = std::vector<const OperandLatency::Residency*>;
  using Ways = std::array<OperandLatency::Counted, max_operands>;

  double at(const Residencies& residencies, double iterations, bool at_any_pace) const;

  std::vector<double> widths_;
  FurtherWaits waits_;
  double cycles_per_operation_;
  bool uses_spare_cycles_, hides_together_, waits_for_ports_;
};

/// A lower bound of the energy (pJ) of one operand over all its boundaries, if it could choose the loop
/// order by itself. A boundary costs least with all irrelevant loops below it, and outer boundaries close
/// at the same multiset or above inner ones, where the memories have room.
///
/// All operands share the innermost loop. The sum over operands at the innermost loop for which it is least
/// is a lower bound of any mapping.
struct OperandEnergy {
  enum class Effort {
    quick,     ///< compulsory traffic over outer boundaries; looks at few multisets
    thorough,  ///< dynamic program over all multisets of relevant loops
  };
  /// Prepares the multisets that it needs. `imc`: of the weights of an array that computes in memory.
  /// `window_share`: of window_share().
  OperandEnergy(OperandTraffic& traffic, double window_share, Effort effort, const ImcLayerEnergy* imc);

  /// With an innermost loop that is irrelevant to the operand, or no loop.
  double kept = 0;
  /// With this dimension innermost, which is not irrelevant: units, and memories without room for a prime
  /// factor of it, hold other data in every iteration.
  std::array<double, max_loop_dimensions> changed{};
};

/// The parts of an operand's tensor, counted as often as they are loaded, add up to at least this share of
/// the whole. It is less than 1 where Rules::overcounted_window_positions counts positions of windows
/// twice.
double window_share(const Layer& layer, int operand, const Rules& rules);

/// Lower bounds of all temporal mappings under one spatial mapping, found without a search.
struct SpatialBound {
  double energy = 0;   ///< pJ
  double latency = 0;  ///< cycles
};

/// Bounds of the spatial mappings of one layer, from the costs of each operand if it could choose the loop
/// order by itself (OperandEnergy, OperandLatency). These depend only on how the loops relevant to the
/// operand are unrolled, on the iterations of the others at each level, and on the memories that hold the
/// operand. So thousands of spatial mappings share the bounds of some hundred operands, and accelerators
/// share those of operands whose memories are the same.
///
/// Energy: the sum over operands at the innermost loop for which it is least. Latency: LatencyBound; 0 with
/// Rules::loading_below_minimum, where loading may take less than no time, and with
/// shared_loading_forgotten, where it may take none.
class SpatialBounds {
 public:
  /// Only what `goal` depends on is bounded thoroughly: a latency that it does not need is 0.
  explicit SpatialBounds(const Goal& goal) : goal_(goal) {}

  /// REQUIRES: the same layer and options for all problems, and accelerators that differ in nothing but
  /// costs, sizes and widths of ports (RelaxableField). Throws InputError as CostTables does.
  SpatialBound of(const MappingProblem& problem);
  /// The value of the goal at this bound. No other figure is bounded for it.
  double value(const MappingProblem& problem);
  /// A weaker bound of the energy alone.
  SpatialBound quick(const MappingProblem& problem);
  /// Of the bounds of operands, about.
  std::size_t bytes() const { return bytes_; }

 private:
  using Effort = OperandEnergy::Effort;
  using Key = std::vector<std::int64_t>;

  void prepare(const MappingProblem& problem, const CostTables& tables);
  /// `effort`: of the energy; nothing: it is not bounded.
  SpatialBound bound(const MappingProblem& problem, std::optional<Effort> effort, bool timed);
  bool bounds_latency(const MappingProblem& problem) const {
    return goal_.needs_latency() && !problem.options.rules.loading_below_minimum &&
           !problem.options.rules.shared_loading_forgotten;
  }
  std::int64_t number_of(const OperandTable& table, bool costs);
  Key key_of(const MappingProblem& problem, const std::vector<RemainingLoop>& loops, int operand) const;
  double energy(const std::vector<RemainingLoop>& loops,
                const std::vector<const OperandEnergy*>& operands) const;
  bool is_irrelevant(int operand, int loop) const {
    return irrelevant_[static_cast<std::size_t>(operand)][static_cast<std::size_t>(loop)];
  }

  Goal goal_;
  std::vector<std::vector<bool>> irrelevant_;  ///< by operand and loop
  std::vector<double> window_share_;           ///< by operand
  /// What an operand sees of an accelerator has a number; without and with costs.
  std::map<std::vector<double>, std::int64_t> numbers_;
  std::array<std::map<Key, OperandEnergy>, 2> energies_;  ///< quick, thorough
  std::map<Key, OperandLatency> latencies_;
  std::size_t bytes_ = 0;  ///< of these

  std::shared_ptr<const Accelerator> accelerator_;  ///< of the last problem; the rest belongs to it
  std::vector<std::array<std::int64_t, 2>> seen_;   ///< numbers by operand; without and with costs
  double units_energy_ = 0;                         ///< pJ
  std::optional<LatencyBound> latency_;
};

/// The value of the objective at the bound.
double bound_of(const SpatialBound& bound, const Goal& goal);

/// The cost of compulsory traffic, by operand: every element crosses every boundary at least once, nothing
/// unrolled. (The idea is that of compulsory misses of a cache: Hill, Aspects of Cache Memory and
/// Instruction Buffer Performance, 1987.)
struct CompulsoryCost {
  std::array<double, max_operands> energy{};  ///< pJ, over all boundaries
  /// Cycles of ports of memories that are topmost for an operand. The latency is no shorter than any sum
  /// over operands.
  std::vector<std::array<double, max_operands>> ports;
};

/// Unrolling lowers none of these, except that Rules::data_in_whole_units cuts fractional factors to whole
/// ones: then the share remains that this leaves of the relevant loops, and nothing of a window that units
/// split. Cycles hold where one memory feeds all units: all that goes through its port is waited for. With
/// Rules::faster_than_ports only inputs are, each by itself.
///
/// `nothing_unrolled`: the problem without any unrolling. Throws InputError as CostTables does.
CompulsoryCost compulsory_cost(const MappingProblem& nothing_unrolled);

/// Bounds of spatial mappings from compulsory traffic and the number of units: weaker than SpatialBounds,
/// and O(loops * operands) for each, for the many that they rule out. Layer and accelerator must outlive
/// it.
class CompulsoryBound {
 public:
  /// `compulsory`: of the layer on the accelerator; nothing where the array computes in memory.
  CompulsoryBound(const Layer& layer, const Accelerator& accelerator, const CostModelOptions& model,
                  CompulsoryCost compulsory);

  SpatialBound of(const SpatialSpace& space, const SpatialSpace::Choice& choice) const;
  /// Of all spatial mappings that use at most so many units.
  SpatialBound by_units(double units) const;

 private:
  using Shares = std::array<double, max_operands>;  ///< of compulsory traffic that remains

  SpatialBound bound(double computation, const Shares& shares) const;
  /// With factors cut to whole ones.
  Shares whole_shares(const std::vector<LoopRounds>& rounds) const;

  const Layer& layer_;
  CostModelOptions model_;
  CompulsoryCost compulsory_;
  double energy_of_units_;  ///< pJ
  double operations_;
  Shares least_shares_{};  ///< under any spatial mapping
};

/// That of a layer on an accelerator, both of which must outlive it. Throws what unrolled_problem() and
/// compulsory_cost() throw.
CompulsoryBound compulsory_bound(const Layer& layer, const Accelerator& accelerator,
                                 const CostModelOptions& model);

}  // namespace zz::core
