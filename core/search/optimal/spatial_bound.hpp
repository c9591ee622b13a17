#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/search/optimal/latency_at_least.hpp"
#include "core/search/optimal/operand_energy.hpp"
#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// What every temporal mapping under one spatial mapping costs at least, told without any search.
struct SpatialBound {
  double energy = 0;   ///< pJ
  double latency = 0;  ///< cycles
};

/// Bounds of the spatial mappings of one layer on one accelerator, from what each operand costs if it has
/// the loop order for itself (OperandEnergy, OperandLatency). That depends only on how the loops that
/// change the operand are unrolled, and on how many iterations of the others there are at each level, so
/// that thousands of spatial mappings share what is worked out for some hundred operands.
///
/// Energy: the sum over operands, at the innermost loop for which it is least. Latency: LatencyAtLeast; 0
/// with ZigZag's own figures, which hide loading without end.
class SpatialBounds {
 public:
  /// `objective`: the figures that its value follows from are bounded, others are 0.
  explicit SpatialBounds(Objective objective) : objective_(objective) {}

  /// All problems must have the same layer, accelerator and options. Throws what CostTables throws.
  SpatialBound of(const MappingProblem& problem);
  /// Of the energy alone, no larger than that of of(), and quicker.
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
  std::optional<LatencyAtLeast> latency_;
};

/// The value of the objective that follows.
double bound_of(const SpatialBound& bound, Objective objective);

}  // namespace zz::core
