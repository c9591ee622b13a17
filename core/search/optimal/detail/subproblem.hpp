#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/search/optimal/detail/capacity_branch.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/label_search.hpp"
#include "core/search/optimal/detail/lagrangian_bound.hpp"
#include "core/search/optimal/detail/latency_costs.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// The goal's value of mappings with one final residency that stall for a range of cycles.
class LatencyObjective : public LabelObjective {
 public:
  LatencyObjective(const LatencyCosts& costs, std::shared_ptr<const ResidencyLoading> loading,
                   const StallRange& stalls, HidingAtPorts hiding, const Goal& goal, bool with_classes)
      : costs_(costs),
        loading_(std::move(loading)),
        stalls_(stalls),
        hiding_(std::move(hiding)),
        goal_(goal),
        with_classes_(with_classes) {}

  /// Sharpens bounds by JointCostToGo of these sums.
  void use_lagrangian(const std::vector<WeightedSum>& sums) {
    lagrangian_ = std::make_shared<const LagrangianBound>(
        sums, costs_.latency_components(*loading_, stalls_, hiding_));
  }

  double of(const double* sums, const FillClasses& fill, const double* joint) const override {
    std::array<double, max_label_numbers> raised;
    std::copy_n(sums, raised.size(), raised.begin());
    lagrangian_->raise(raised.data(), joint);
    const double latency = costs_.latency(*loading_, raised.data(), fill, stalls_, hiding_);
    return lagrangian_->least(goal_, raised[0], latency, joint);
  }
  double of(const double* sums, const FillClasses& fill) const override {
    if (goal_.needs_energy() && sums[0] > goal_.most_energy) return infinite;
    const double latency = costs_.latency(*loading_, sums, fill, stalls_, hiding_);
    return goal_.of(goal_.needs_energy() ? sums[0] : 0, latency);
  }
  double first_limit() const override { return goal_.needs_energy() ? goal_.most_energy : infinite; }
  std::uint16_t fill_class(int operand, std::size_t multiset) const override {
    return with_classes_ ? costs_.once().fill_class(operand, multiset) : std::uint16_t{0};
  }

 private:
  const LatencyCosts& costs_;
  std::shared_ptr<const ResidencyLoading> loading_;
  StallRange stalls_;
  HidingAtPorts hiding_;
  Goal goal_;
  bool with_classes_;
  std::shared_ptr<const LagrangianBound> lagrangian_ = {};
};

/// CostToGo of each final residency. Most residencies share it for most operands.
class CostToGoTables {
 public:
  /// REQUIRES: the same `costs` each time.
  CostToGo at(const SearchProblem& problem, const LatencyCosts& costs, const FinalResidency& residency) {
    const LabelCosts least = costs.least_costs(residency);
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

/// The tables that searches of one final residency share.
struct ResidencyTables {
  ResidencyTables(LabelCosts residency_costs, CostToGo residency_cost_to_go, std::size_t& joint_bytes)
      : costs(std::move(residency_costs)),
        cost_to_go(std::move(residency_cost_to_go)),
        bytes(joint_bytes) {}
  ResidencyTables(const ResidencyTables&) = delete;
  ~ResidencyTables() {
    if (joint) bytes -= joint->memory_bytes();
  }
  void tabulate_jointly(const SearchProblem& problem, const CapacityBranch& branch,
                        std::vector<WeightedSum> sums) {
    joint =
        std::make_unique<const JointCostToGo>(problem.space, problem.fit, branch, costs, std::move(sums));
    bytes += joint->memory_bytes();
  }
  LabelCosts costs;
  CostToGo cost_to_go;
  std::unique_ptr<const JointCostToGo> joint = {};
  std::size_t& bytes;  ///< of the joint tables of all residencies
};

/// The search of one subproblem.
struct SubproblemSearch {
  SubproblemSearch(const SearchProblem& problem, const ResidencyTables& tables,
                   const LatencyObjective& given, const SingleBufferPenalty* single_buffer, bool keep_all,
                   const FillClasses& fill, const CapacityBranch* branch)
      : objective(given),
        labels(problem.space, problem.fit, tables.costs, tables.cost_to_go, objective, single_buffer,
               keep_all, fill, tables.joint.get(), branch) {}

  LatencyObjective objective;
  LabelSearch labels;
  double least_value = infinite;  ///< bound of the mappings found
  int mappings = 0;
  bool dived = false, asked_classes = false;
};

/// A set of mappings with one bound: a node of the branch-and-bound tree of LatencySearch.
struct Subproblem {
  FinalResidency residency;
  StallRange stalls;
  double bound;
  std::shared_ptr<const ResidencyLoading> loading;
  std::shared_ptr<const ResidencyTables> tables = {};  ///< once needed
  std::shared_ptr<const CapacityBranch> branch = {};   ///< with a joint cost-to-go
  std::vector<WeightedSum> mixtures = {};              ///< for the joint cost-to-go
  HidingAtPorts hiding = {};
  FillClasses fill = {};      ///< of all its mappings, where not 0
  bool with_classes = false;  ///< LatencyObjective
  bool keep_all = false;      ///< LabelSearch
  bool must_stall = false;    ///< its mappings stall, so that costs also bound stalls from above
  std::shared_ptr<SubproblemSearch> search = {};  ///< once begun
  bool operator<(const Subproblem& other) const { return bound > other.bound; }
};

}  // namespace zz::core
