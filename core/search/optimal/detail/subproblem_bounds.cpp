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
  return {residency, most_stalls, 0, std::make_shared<const ResidencyLoading>(costs_->loading(residency))};
}

LatencyObjective SubproblemBounds::objective(const Subproblem& node) const {
  LatencyObjective objective(*costs_, node.loading, node.most_stalls, goal_, node.with_classes);
  if (node.tables && node.tables->joint) objective.use_lagrangian(node.tables->joint->sums());
  return objective;
}

std::vector<LatencyComponent> SubproblemBounds::latency_components(const Subproblem& node) const {
  return costs_->latency_components(*node.loading, node.most_stalls);
}

double SubproblemBounds::least_value(const Subproblem& node) const {
  const std::vector<double> least = costs_->least_sums(node.residency);
  const double latency = costs_->latency(*node.loading, least.data(), node.fill, node.most_stalls);
  const double energy = goal_.needs_energy() ? std::max(least_energy_, least[0]) : 0;
  return goal_.of(energy * (1 - rounding_tolerance), latency);
}

std::shared_ptr<const ResidencyTables> SubproblemBounds::tables(const Subproblem& node, double best_value) {
  auto tables = std::make_shared<ResidencyTables>(
      costs_->costs(node.residency),
      cost_to_go_.at(problem_, *costs_, node.residency), table_bytes_);
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
