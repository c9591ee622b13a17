#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/search/optimal/detail/subproblem.hpp"

namespace zz::core {

/// CostToGo of each final residency. Most residencies share it for most operands.
class CostToGoTables {
 public:
  /// REQUIRES: the same `costs` each time.
  CostToGo at(const SearchProblem& problem, const LatencyCosts& costs, const FinalResidency& residency) {
    const LabelCosts least = costs.costs(residency);
    CostToGo::Operands operands;
    for (int operand = 0; operand < problem.space.operands(); ++operand) {
      auto& known = known_[operand][residency[operand]];
      if (!known)
        known = std::make_shared<const OperandCostToGo>(problem.space, problem.fit, least, operand);
      operands[operand] = known;
    }
    return CostToGo(std::move(operands));
  }

 private:
  /// [operand][boundaries closed at the end]
  std::array<std::array<std::shared_ptr<const OperandCostToGo>, max_memory_levels>, max_operands> known_;
};

/// The bounding step of LatencySearch: costs, tables and objectives of subproblems.
class SubproblemBounds {
 public:
  /// `least_energy`: a lower bound of the energy.
  SubproblemBounds(const SearchProblem& problem, const Goal& goal, double least_energy);

  const SearchProblem& problem() const { return problem_; }
  const LatencyCosts& costs() const { return *costs_; }
  LatencyObjective objective(const Subproblem& node) const;
  std::vector<LatencyComponent> latency_components(const Subproblem& node) const;
  /// A lower bound: the goal at the least sums of the residency.
  double least_value(const Subproblem& node) const;

  /// The tables that a search of the subproblem needs. `best_value`: of the incumbent.
  std::shared_ptr<const ResidencyTables> tables(const Subproblem& node, double best_value);
  /// Numbers in the table of a joint cost-to-go.
  double joint_size(const Subproblem& node, double best_value) const;
  /// Of the joint tables of all subproblems.
  std::size_t table_bytes() const { return table_bytes_; }
  /// Cycles without stalls and loading.
  double computation() const { return loads_.computation; }
  double drain() const { return loads_.drain; }
  /// Mappings with this residency stall for up to `most_stalls` cycles.
  Subproblem root(const FinalResidency& residency, double most_stalls) const;

 private:
  const LabelCosts* energy() const { return goal_.needs_energy() ? &energy_ : nullptr; }
  std::vector<WeightedSum> joint_sums(const Subproblem& node, double best_value) const;

  const SearchProblem& problem_;
  Goal goal_;
  double least_energy_;
  PortLoads loads_;
  LabelCosts energy_;
  std::unique_ptr<LatencyCosts> costs_;
  CostToGoTables cost_to_go_;
  std::size_t table_bytes_ = 0;
};

}  // namespace zz::core
