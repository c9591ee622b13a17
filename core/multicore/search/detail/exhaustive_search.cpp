#include "core/multicore/search/detail/exhaustive_search.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace zz::core {
namespace {

constexpr std::size_t batch = 256;

}  // namespace

PartialBound::PartialBound(const ScheduleProblem& problem, double latency_bound)
    : latency_(latency_bound), fixed_load_(problem.accelerator()->core_count(), 0) {
  const ComputationNodeGraph& graph = *problem.graph();
  const std::vector<Gene>& genes = problem.genes();
  gene_cost_.assign(genes.size(), std::vector<Cost>(fixed_load_.size()));
  std::map<std::pair<int, int>, std::size_t> gene_of;
  for (std::size_t i = 0; i < genes.size(); ++i) gene_of[{genes[i].layer, genes[i].group}] = i;
  for (const ComputationNode& node : graph.nodes) {
    const std::vector<CoreCost>& on = problem.costs()->layers[node.layer].on;
    const auto gene = gene_of.find({node.layer, node.group});
    for (const CoreCost& cost : on) {
      const double energy = cost.onchip_energy + cost.offchip_energy;
      if (gene != gene_of.end()) {
        Cost& entry = gene_cost_[gene->second][cost.core];
        entry.load += cost.runtime;
        entry.energy += energy;
      } else {
        fixed_load_[cost.core] += cost.runtime;
        fixed_energy_ += energy;
      }
    }
  }
  least_energy_after_.assign(genes.size() + 1, 0);
  for (std::size_t i = genes.size(); i-- > 0;) {
    double least = std::numeric_limits<double>::infinity();
    for (const int core : genes[i].cores) least = std::min(least, gene_cost_[i][core].energy);
    least_energy_after_[i] = least_energy_after_[i + 1] + least;
  }
}

double PartialBound::latency(const std::vector<int>& cores) const {
  std::vector<double> load = fixed_load_;
  double most = latency_;
  for (std::size_t gene = 0; gene < cores.size() && gene < gene_cost_.size(); ++gene) {
    load[cores[gene]] += gene_cost_[gene][cores[gene]].load;
  }
  for (const double busy : load) most = std::max(most, busy);
  return most;
}

double PartialBound::energy(const std::vector<int>& cores) const {
  double sum = fixed_energy_;
  for (std::size_t gene = 0; gene < cores.size() && gene < gene_cost_.size(); ++gene) {
    sum += gene_cost_[gene][cores[gene]].energy;
  }
  return sum + (least_energy_after_.empty() ? 0 : least_energy_after_[cores.size()]);
}

bool search_exhaustively(const PlanSpace& space, const CoreSymmetry& symmetry, const PartialBound& bound,
                         const std::vector<ScheduleChoice>& orders, PlanEvaluator& evaluator) {
  std::vector<Plan> waiting;
  bool complete = true;
  const auto flush = [&] {
    if (waiting.empty()) return;
    if (evaluator.exhausted()) {
      complete = false;
    } else {
      evaluator.evaluate(waiting);
      complete = std::all_of(waiting.begin(), waiting.end(),
                             [&](const Plan& plan) { return evaluator.known(plan); });
    }
    waiting.clear();
  };
  // Rounding must not make a bound larger than what it bounds.
  const double slack = 1 - 1e-9;
  std::vector<int> cores;
  const std::function<void()> descend = [&] {
    if (!complete) return;
    // An exchange that makes the beginning smaller makes the whole smaller.
    if (symmetry.canonical(cores) != cores) return;
    if (evaluator.front().covers(bound.latency(cores) * slack, bound.energy(cores) * slack)) return;
    if (cores.size() < space.genes().size()) {
      for (const int core : space.genes()[cores.size()].cores) {
        cores.push_back(core);
        descend();
        cores.pop_back();
      }
      return;
    }
    for (const ScheduleChoice& order : orders) {
      waiting.push_back(plan_of(cores, order));
      if (waiting.size() >= batch) flush();
    }
  };
  descend();
  flush();
  return complete;
}

}  // namespace zz::core
