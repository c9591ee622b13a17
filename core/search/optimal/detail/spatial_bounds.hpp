#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/detail/latency_bound.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/traffic.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A lower bound of the energy (pJ) of one operand over all its boundaries, if it could choose the loop
/// order by itself. A boundary costs least with all irrelevant loops below it, and outer boundaries close
/// at the same multiset or above inner ones, where the memories have room.
///
/// All operands share the innermost loop. The sum over operands at the innermost loop for which it is least
/// is a lower bound of any mapping.
struct OperandEnergy {
  enum class Effort {
    any_tiles,  ///< as quick, for tiles that need not divide their loops as well
    quick,      ///< compulsory traffic over outer boundaries; looks at few multisets
    thorough,   ///< dynamic program over all multisets of relevant loops
  };
  /// Prepares the multisets that it needs. `imc`: of the weights of an array that computes in memory.
  /// `window_share`: of window_share(). `ragged`: tiles need not divide their loops, which bounds
  /// thoroughly.
  OperandEnergy(OperandTraffic& traffic, double window_share, Effort effort, const ImcLayerEnergy* imc,
                const CostModelOptions* ragged = nullptr);

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
  /// A bound of the cycles until the units have finished. REQUIRES: the goal needs the latency.
  double until_finished(const MappingProblem& problem);
  /// A bound of the energy alone, which holds for tiles that do not divide their loops as well.
  double energy_of_any_tiles(const MappingProblem& problem);
  /// A weaker bound of the energy alone.
  SpatialBound quick(const MappingProblem& problem);
  /// Bytes of the bounds of operands, about.
  std::size_t bytes() const { return bytes_; }

 private:
  using Effort = OperandEnergy::Effort;
  using Key = std::vector<std::int64_t>;

  void prepare(const MappingProblem& problem, const CostTables& tables);
  /// `effort`: of the energy; nothing: it is not bounded. `timed`: the cycles are, until then.
  SpatialBound bound(const MappingProblem& problem, std::optional<Effort> effort, bool timed,
                     Until until = Until::off_loaded);
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
  /// An operand's view of an accelerator has a number; without and with costs.
  std::map<std::vector<double>, std::int64_t> numbers_;
  std::array<std::map<Key, OperandEnergy>, 3> energies_;  ///< by effort
  std::map<Key, OperandLatency> latencies_;
  std::size_t bytes_ = 0;  ///< of these

  std::shared_ptr<const Accelerator> accelerator_;  ///< of the last problem; the rest belongs to it
  std::vector<std::array<std::int64_t, 2>> seen_;   ///< numbers by operand; without and with costs
  double units_energy_ = 0;                         ///< pJ
  std::optional<LatencyBound> latency_;
};

/// The value of the objective at the bound.
double bound_of(const SpatialBound& bound, const Goal& goal);

}  // namespace zz::core
