#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/detail/latency_bound.hpp"
#include "core/search/optimal/detail/operand_traffic.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

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

/// Bounds of the spatial mappings of one layer on one accelerator, from the costs of each operand if it
/// could choose the loop order by itself (OperandEnergy, OperandLatency). These depend only on how the
/// loops relevant to the operand are unrolled and on the iterations of the others at each level, so that
/// thousands of spatial mappings share the bounds of some hundred operands.
///
/// Energy: the sum over operands at the innermost loop for which it is least. Latency: LatencyBound; 0 with
/// Rules::loading_below_minimum, where loading may take less than no time, and with
/// shared_loading_forgotten, where it may take none.
class SpatialBounds {
 public:
  /// Only the energy, or latency, that `objective` depends on is bounded. The other one is 0.
  explicit SpatialBounds(Objective objective) : objective_(objective) {}

  /// REQUIRES: the same layer, accelerator and options for all problems. Throws InputError as CostTables
  /// does.
  SpatialBound of(const MappingProblem& problem);
  /// A weaker bound of the energy alone.
  SpatialBound quick(const MappingProblem& problem);

 private:
  /// One operand, unrolled in one way.
  struct Operand {
    OperandEnergy energy;
    std::optional<OperandLatency> latency;
  };
  using Key = std::vector<std::int64_t>;

  void prepare(const MappingProblem& problem, const CostTables& tables);
  SpatialBound bound(const MappingProblem& problem, OperandEnergy::Effort effort, bool timed);
  Key key_of(const MappingProblem& problem, const std::vector<RemainingLoop>& loops, int operand) const;
  double energy(const std::vector<RemainingLoop>& loops, const std::vector<const Operand*>& operands) const;
  bool is_irrelevant(int operand, int loop) const {
    return irrelevant_[static_cast<std::size_t>(operand)][static_cast<std::size_t>(loop)];
  }

  Objective objective_;
  std::vector<std::vector<bool>> irrelevant_;    ///< by operand and loop
  std::vector<double> window_share_;             ///< by operand
  std::array<std::map<Key, Operand>, 2> known_;  ///< by quick(), by of()
  double units_energy_ = 0;                      ///< pJ
  std::optional<LatencyBound> latency_;
};

/// The value of the objective at the bound.
double bound_of(const SpatialBound& bound, const Goal& goal);

}  // namespace zz::core
