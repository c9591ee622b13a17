#include "core/multicore/search/detail/gene_moves.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace zz::core {

double SearchSpace::allocations() const {
  double product = 1;
  for (const std::vector<int>& domain : domains) product *= static_cast<double>(domain.size());
  return product;
}

SearchSpace search_space(const ScheduleProblem& problem, bool orders) {
  SearchSpace space;
  const ComputationNodeGraph& graph = *problem.graph();
  space.layers = static_cast<int>(graph.layers.size());
  space.orders = orders;
  struct Group {
    int nodes = 0;
    std::set<int> constants;
  };
  std::map<std::pair<int, int>, Group> groups;  // by layer and group
  for (const ComputationNode& node : graph.nodes) {
    Group& group = groups[{node.layer, node.group}];
    ++group.nodes;
    for (const int operand : graph.layers[node.layer].constants) {
      if (node.tensors[operand] >= 0) group.constants.insert(node.tensors[operand]);
    }
  }
  for (const Gene& gene : problem.genes()) {
    double runtime = -1;
    for (const CoreCost& cost : problem.costs()->layers[gene.layer].on) {
      if (runtime < 0 || cost.runtime < runtime) runtime = cost.runtime;
    }
    space.domains.push_back(gene.cores);
    space.layer_of_gene.push_back(gene.layer);
    const Group& group = groups[{gene.layer, gene.group}];
    space.work_of_gene.push_back(std::max(0.0, runtime) * group.nodes);
    double bits = 0;
    for (const int tensor : group.constants) bits += static_cast<double>(graph.tensors[tensor].bits);
    space.bits_of_gene.push_back(bits);
  }
  return space;
}

namespace {

constexpr double least_weight = 0.05, most_weight = 200;
constexpr double share_of_runs = 0.3;
constexpr int longest_run = 6;

bool holds(const std::vector<int>& domain, int core) {
  return std::find(domain.begin(), domain.end(), core) != domain.end();
}

/// All cores of the domains, ascending.
std::vector<int> cores_of(const SearchSpace& space) {
  std::set<int> cores;
  for (const std::vector<int>& domain : space.domains) cores.insert(domain.begin(), domain.end());
  return {cores.begin(), cores.end()};
}

}  // namespace

std::vector<int> GeneMoves::random_cores() {
  std::vector<int> cores;
  for (const std::vector<int>& domain : space_.domains) {
    cores.push_back(domain[random_.below(static_cast<int>(domain.size()))]);
  }
  return cores;
}

std::vector<std::vector<int>> GeneMoves::sensible_cores() const {
  const std::vector<std::vector<int>>& domains = space_.domains;
  const std::size_t genes = domains.size();
  const std::vector<int> all_cores = cores_of(space_);
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
  to_least_loaded(space_.bits_of_gene);

  for (const std::size_t beside : {1, 2}) {
    for (std::size_t gene = 0; gene < genes; ++gene) {
      cores[gene] = domains[gene][gene / beside % domains[gene].size()];
    }
    found.push_back(cores);
  }

  const double all = std::accumulate(space_.work_of_gene.begin(), space_.work_of_gene.end(), 0.0);
  double passed = 0;
  for (std::size_t gene = 0; gene < genes; ++gene) {
    const double middle = passed + space_.work_of_gene[gene] / 2;
    const double share = all > 0 ? middle / all : 0;
    const auto size = static_cast<double>(domains[gene].size());
    cores[gene] = domains[gene][static_cast<std::size_t>(std::clamp(share * size, 0.0, size - 1))];
    passed += space_.work_of_gene[gene];
  }
  found.push_back(cores);

  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return space_.work_of_gene[a] > space_.work_of_gene[b];
  });
  to_least_loaded(space_.work_of_gene);

  // Everything on one core moves least data.
  for (const int core : all_cores) {
    for (std::size_t gene = 0; gene < genes; ++gene) {
      cores[gene] = holds(domains[gene], core) ? core : domains[gene].front();
    }
    found.push_back(cores);
  }
  return found;
}

void GeneMoves::change_one(std::vector<int>& cores) {
  const int genes = static_cast<int>(cores.size());
  const int gene = random_.below(genes);
  const std::vector<int>& domain = space_.domains[gene];
  // Neighbours often share a core. Searches of orders do without this step.
  if (!space_.orders && random_.fraction() < share_of_runs) {
    const int core = domain[random_.below(static_cast<int>(domain.size()))];
    const int last = std::min(genes - 1, gene + random_.below(longest_run));
    for (int i = gene; i <= last; ++i)
      if (holds(space_.domains[i], core)) cores[i] = core;
    return;
  }
  const double kind = random_.fraction();
  if (kind < 0.25 && genes > 1) {
    const int beside = gene == 0 ? 1 : gene == genes - 1 || random_.below(2) == 0 ? gene - 1 : gene + 1;
    if (holds(domain, cores[beside]) && cores[beside] != cores[gene]) {
      cores[gene] = cores[beside];
      return;
    }
  } else if (kind < 0.4 && genes > 1) {
    const int other = random_.below(genes);
    if (cores[gene] != cores[other] && holds(domain, cores[other]) &&
        holds(space_.domains[other], cores[gene])) {
      std::swap(cores[gene], cores[other]);
      return;
    }
  }
  if (domain.size() < 2) return;
  const auto now = std::find(domain.begin(), domain.end(), cores[gene]) - domain.begin();
  const int size = static_cast<int>(domain.size());
  cores[gene] = domain[(now + 1 + random_.below(size - 1)) % size];
}

void GeneMoves::change_cores(std::vector<int>& cores) {
  if (cores.empty()) return;
  change_one(cores);
  if (random_.below(2) == 0) change_one(cores);
}

void GeneMoves::change_dispatch(ScheduleChoice& choice) {
  const double kind = random_.fraction();
  if (kind < 0.2) {
    choice.back_filling = !choice.back_filling;
  } else if (kind < 0.6 && choice.dispatch == DispatchRule::critical_path) {
    const double factor = std::exp2(4 * random_.fraction() - 2);
    choice.weight = std::clamp(choice.weight * factor, least_weight, most_weight);
  } else {
    const int now = static_cast<int>(choice.dispatch);
    choice.dispatch = static_cast<DispatchRule>((now + 1 + random_.below(2)) % 3);
  }
  // Equal schedules should have equal names.
  if (choice.dispatch != DispatchRule::critical_path) choice.weight = ScheduleChoice{}.weight;
}

void GeneMoves::change_order(ScheduleChoice& choice, double reach) {
  if (space_.layers == 0) return;
  if (choice.layer_offset.empty()) {
    // The order of the problem, as far as offsets can tell it.
    for (int layer = 0; layer < space_.layers; ++layer) choice.layer_offset.push_back(-layer);
    choice.layer_slope.assign(space_.layers, -0.99);
  }
  const int layer = random_.below(space_.layers);
  // The sum of three uniform numbers is nearly normally distributed.
  const double step = reach * (random_.fraction() + random_.fraction() + random_.fraction() - 1.5);
  const double kind = random_.fraction();
  if (kind < 0.45) {
    choice.layer_offset[layer] += step;
  } else if (kind < 0.7) {
    choice.layer_slope[layer] += 2 * step;
  } else if (kind < 0.8) {
    const int other = random_.below(space_.layers);
    std::swap(choice.layer_offset[layer], choice.layer_offset[other]);
  } else if (kind < 0.9) {
    // A piece of the network moves as one.
    const int last = std::min(space_.layers - 1, layer + random_.below(4));
    for (int i = layer; i <= last; ++i) choice.layer_offset[i] += step;
  } else {
    const int other = random_.below(space_.layers);
    choice.layer_offset[layer] = choice.layer_offset[other];
    choice.layer_slope[layer] = choice.layer_slope[other];
  }
}

std::vector<ScheduleChoice> sensible_orders(const SearchSpace& space) {
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
  const auto layers = static_cast<double>(space.layers);
  for (const double slant : {1.0, 0.5, 0.25, 0.0}) {
    ScheduleChoice slanted;
    for (int layer = 0; layer < space.layers; ++layer) slanted.layer_offset.push_back(slant * layer);
    slanted.layer_slope.assign(space.layers, slant == 1.0 ? 0.99 : layers);
    for (const DispatchRule dispatch : {DispatchRule::rank, DispatchRule::earliest_start}) {
      slanted.dispatch = dispatch;
      orders.push_back(slanted);
    }
  }
  return orders;
}

}  // namespace zz::core
