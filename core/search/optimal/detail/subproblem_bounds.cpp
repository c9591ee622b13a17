#include "core/search/optimal/detail/subproblem_bounds.hpp"

#include <algorithm>

#include "core/search/optimal/detail/energy_search.hpp"

namespace zz::core {

SubproblemBounds::SubproblemBounds(const SearchProblem& problem, const Goal& goal, double least_energy)
    : problem_(problem), goal_(goal), least_energy_(least_energy), loads_(problem) {
  if (goal.needs_energy()) energy_ = energy_costs(problem);
  costs_ = std::make_unique<LatencyCosts>(problem, loads_, energy());
}

Subproblem SubproblemBounds::root(const FinalResidency& residency, double most_stalls) const {
  return {
      residency, {0, most_stalls}, 0, std::make_shared<const ResidencyLoading>(costs_->loading(residency))};
}

const LatencyCosts& SubproblemBounds::costs(const Subproblem& node) const {
  if (!node.must_stall) return *costs_;
  if (!costs_if_stalled_) {
    costs_if_stalled_ = std::make_unique<LatencyCosts>(problem_, loads_, energy(), StallsKnown::from_above);
  }
  return *costs_if_stalled_;
}

LatencyObjective SubproblemBounds::objective(const Subproblem& node, const StallRange& stalls) const {
  LatencyObjective objective(costs(node), node.loading, stalls, goal_, node.with_classes);
  if (node.tables && node.tables->joint) objective.use_lagrangian(node.tables->joint->sums());
  return objective;
}

std::vector<LatencyComponent> SubproblemBounds::latency_components(const Subproblem& node) const {
  return costs(node).latency_components(*node.loading, node.stalls);
}

double SubproblemBounds::least_value(const Subproblem& node) const {
  const std::vector<double> least = costs(node).least_sums(node.residency);
  const double latency = costs(node).latency(*node.loading, least.data(), node.fill, node.stalls);
  const double energy = goal_.needs_energy() ? std::max(least_energy_, least[0]) : 0;
  return goal_.of(energy * (1 - rounding_tolerance), latency);
}

std::shared_ptr<const ResidencyTables> SubproblemBounds::tables(const Subproblem& node, double best_value) {
  auto tables = std::make_shared<ResidencyTables>(
      costs(node).costs(node.residency),
      cost_to_go_[node.must_stall ? 1 : 0].at(problem_, costs(node), node.residency), table_bytes_);
  if (node.branch) tables->tabulate_jointly(problem_, *node.branch, joint_sums(node, best_value));
  return tables;
}

/// For the EDP, the multiplier is about the energy per cycle of the best mapping. For the latency, mixtures
/// of ports are among the sums.
std::vector<WeightedSum> SubproblemBounds::joint_sums(const Subproblem& node, double best_value) const {
  const auto latencies = latency_components(node);
  if (goal_.objective == Objective::edp)
    return LagrangianBound::sums(latencies, true, {least_energy_ * least_energy_ / best_value});
  std::vector<WeightedSum> sums = LagrangianBound::sums(latencies, goal_.needs_energy());
  sums.insert(sums.end(), node.mixtures.begin(), node.mixtures.end());
  return sums;
}

double SubproblemBounds::joint_size(const Subproblem& node, double best_value) const {
  return JointCostToGo::size(problem_.space, problem_.fit, joint_sums(node, best_value).size());
}

}  // namespace zz::core
