#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/search/optimal/detail/capacity_branch.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/label_search.hpp"
#include "core/search/optimal/detail/latency_objective.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

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
  double most_stalls;  ///< cycles
  double bound;
  std::shared_ptr<const ResidencyLoading> loading;
  std::shared_ptr<const ResidencyTables> tables = {};  ///< once needed
  std::shared_ptr<const CapacityBranch> branch = {};   ///< with a joint cost-to-go
  std::vector<WeightedSum> mixtures = {};              ///< for the joint cost-to-go
  FillClasses fill = {};                               ///< of all its mappings, where not 0
  bool with_classes = false;                           ///< LatencyObjective
  bool keep_all = false;                               ///< LabelSearch
  std::shared_ptr<SubproblemSearch> search = {};  ///< once begun
  bool operator<(const Subproblem& other) const { return bound > other.bound; }
};

}  // namespace zz::core
