#include "core/multicore/search/detail/usual_plans.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>

namespace zz::core {
namespace {

/// All cores of the domains, ascending.
std::vector<int> all_cores_of(const std::vector<std::vector<int>>& domains) {
  std::set<int> cores;
  for (const std::vector<int>& domain : domains) cores.insert(domain.begin(), domain.end());
  return {cores.begin(), cores.end()};
}

}  // namespace

std::vector<int> random_cores(const PlanSpace& space, RandomNumbers& random) {
  std::vector<int> cores;
  for (const PlanGene& gene : space.genes())
    cores.push_back(gene.cores[random.below(static_cast<int>(gene.cores.size()))]);
  return cores;
}

std::vector<std::vector<int>> sensible_cores(const PlanSpace& space) {
  std::vector<std::vector<int>> domains;
  std::vector<double> work, bits;
  for (const PlanGene& gene : space.genes()) {
    domains.push_back(gene.cores);
    work.push_back(gene.work);
    bits.push_back(gene.bits);
  }
  const std::size_t genes = domains.size();
  const std::vector<int> all_cores = all_cores_of(domains);
  std::vector<std::vector<int>> found;
  std::vector<int> cores(genes);
  std::vector<std::size_t> order(genes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto to_least_loaded = [&](const std::vector<double>& loads) {
    std::vector<double> load(all_cores.empty() ? 0 : all_cores.back() + 1, 0);
    for (const std::size_t gene : order) {
      cores[gene] = *std::min_element(domains[gene].begin(), domains[gene].end(),
                                      [&](int a, int b) { return load[a] < load[b]; });
      load[cores[gene]] += loads[gene];
    }
    found.push_back(cores);
  };
  // Neighbours end up on different cores, and constants have a chance to stay where they are.
  to_least_loaded(bits);

  for (const std::size_t beside : {1, 2}) {
    for (std::size_t gene = 0; gene < genes; ++gene) {
      cores[gene] = domains[gene][gene / beside % domains[gene].size()];
    }
    found.push_back(cores);
  }

  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  double passed = 0;
  for (std::size_t gene = 0; gene < genes; ++gene) {
    const double middle = passed + work[gene] / 2;
    const double share = all > 0 ? middle / all : 0;
    const auto size = static_cast<double>(domains[gene].size());
    cores[gene] = domains[gene][static_cast<std::size_t>(std::clamp(share * size, 0.0, size - 1))];
    passed += work[gene];
  }
  found.push_back(cores);

  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  to_least_loaded(work);

  // Everything on one core moves least data.
  for (const int core : all_cores) {
    for (std::size_t gene = 0; gene < genes; ++gene) {
      cores[gene] = std::find(domains[gene].begin(), domains[gene].end(), core) != domains[gene].end()
                        ? core
                        : domains[gene].front();
    }
    found.push_back(cores);
  }
  return found;
}

std::vector<int> even_cores(const ScheduleProblem& problem) {
  const ScheduleProblem::Tables& tables = problem.tables();
  std::vector<double> load(tables.core_count, 0);
  std::vector<std::vector<double>> work(tables.genes.size());  // by candidate
  for (std::size_t gene = 0; gene < work.size(); ++gene) work[gene].resize(tables.genes[gene].cores.size());
  for (int node = 0; node < tables.node_count; ++node) {
    const NodeGroup& group = tables.groups[tables.group_of[node]];
    if (group.gene < 0) {
      load[group.core] += tables.node_cost(node, group.core).runtime;
      continue;
    }
    const std::vector<int>& candidates = tables.genes[group.gene].cores;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      work[group.gene][i] += tables.node_cost(node, candidates[i]).runtime;
  }
  std::vector<std::size_t> order(work.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return *std::min_element(work[a].begin(), work[a].end()) >
           *std::min_element(work[b].begin(), work[b].end());
  });
  std::vector<int> cores(work.size());
  for (const std::size_t gene : order) {
    const std::vector<int>& candidates = tables.genes[gene].cores;
    std::size_t best = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i)
      if (load[candidates[i]] + work[gene][i] < load[candidates[best]] + work[gene][best]) best = i;
    cores[gene] = candidates[best];
    load[cores[gene]] += work[gene][best];
  }
  return cores;
}

std::optional<Plan> whole_layers_on_best_cores(const PlanSpace& space, const PartitionGraphs& graphs,
                                               const CutPrices& prices, Objective objective) {
  Plan plan;
  bool cores_differ = false;
  for (int layer = 0; layer < space.layers(); ++layer) {
    const CutMenu& menu = graphs.cuts()[layer];
    const auto whole = static_cast<int>(std::find(menu.begin(), menu.end(), Cut{}) - menu.begin());
    if (whole == space.cuts(layer)) return {};
    const CutKey key{layer, graphs.cut_of_nodes(layer, whole), {}};
    const auto price = prices.known().lower_bound(key);  // with the least needs
    if (price == prices.known().end() || price->first.layer != layer || price->first.cut != key.cut ||
        price->second.costs->on.empty())
      return {};
    const CoreCosts::OfLayer& row = *price->second.costs;
    std::vector<double> values;
    for (const auto& [core, entry] : cores_with_costs(*graphs.layers()[layer], prices.kinds(), row)) {
      const CoreCost& cost = row.on[entry];
      values.push_back(value_of(objective, cost.onchip_energy + cost.offchip_energy, cost.runtime));
    }
    const auto [best, worst] = std::minmax_element(values.begin(), values.end());
    cores_differ = cores_differ || *best < *worst;
    plan.cuts.push_back(whole);
    plan.cores.push_back(slots_alike(static_cast<int>(best - values.begin()), space.slots()));
  }
  if (!cores_differ) return {};
  return plan;
}

std::vector<ScheduleChoice> sensible_orders(const PlanSpace& space) {
  std::vector<ScheduleChoice> rules(1);
  ScheduleChoice rule;
  for (const bool back_filling : {false, true}) {
    rule = {};
    rule.back_filling = back_filling;
    if (back_filling) rules.push_back(rule);
    rule.dispatch = DispatchRule::earliest_start;
    rules.push_back(rule);
    rule.dispatch = DispatchRule::critical_path;
    for (const double weight : {1.0, 10.0}) {
      rule.weight = weight;
      rules.push_back(rule);
    }
  }
  std::vector<ScheduleChoice> orders = rules;
  const auto layers = static_cast<double>(space.layers());
  for (const double slant : {1.0, 0.5, 0.25, 0.0}) {
    ScheduleChoice slanted;
    for (int layer = 0; layer < space.layers(); ++layer) slanted.layer_offset.push_back(slant * layer);
    slanted.layer_slope.assign(space.layers(), slant == 1.0 ? 0.99 : layers);
    for (const DispatchRule dispatch : {DispatchRule::rank, DispatchRule::earliest_start}) {
      slanted.dispatch = dispatch;
      orders.push_back(slanted);
    }
  }
  return orders;
}

}  // namespace zz::core
