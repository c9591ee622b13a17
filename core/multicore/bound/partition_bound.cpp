#include "core/multicore/bound/partition_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/bound/schedule_bound.hpp"

namespace zz::core {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Steps of bounds over allocations, as schedule_bound() counts them, of all partitions and of one.
constexpr std::int64_t most_steps_closely = 10'000'000, most_allocations = 1024;

/// The least costs of each cut of a layer whose nodes stream nothing, whatever they need in memory.
class LeastCosts {
 public:
  explicit LeastCosts(const CutPrices& prices) {
    for (const auto& [cut, price] : prices.known()) add({cut.layer, cut.cut}, *price.least);
  }

  /// Null: it is not known, or what streams, or which cores run it, may depend on the needs.
  const CoreCosts::OfLayer* of(int layer, int cut) const {
    const auto found = costs_.find({layer, cut});
    return found == costs_.end() || found->second.differ ? nullptr : &found->second.least;
  }

 private:
  struct OfCut {
    CoreCosts::OfLayer least;
    bool differ = false;
  };

  static const CoreCost* on_core(const std::vector<CoreCost>& costs, int core) {
    for (const CoreCost& cost : costs)
      if (cost.core == core) return &cost;
    return nullptr;
  }

  void add(const std::pair<int, int>& cut, const CoreCosts::OfLayer& costs) {
    const auto [entry, fresh] = costs_.try_emplace(cut);
    OfCut& known = entry->second;
    if (fresh) known.least = costs;
    merge(known, known.least.on, costs.on);
    for (std::size_t shape = 0; shape < costs.smaller.size() && !known.differ; ++shape)
      merge(known, known.least.smaller[shape].on, costs.smaller[shape].on);
  }

  static void merge(OfCut& known, std::vector<CoreCost>& least, const std::vector<CoreCost>& more) {
    known.differ = known.differ || least.size() != more.size();
    for (const CoreCost& cost : more) {
      const CoreCost* const before = on_core(least, cost.core);
      known.differ = known.differ || before == nullptr || !cost.streamed.empty();
      if (known.differ) return;
      CoreCost& of_core = least[static_cast<std::size_t>(before - least.data())];
      of_core.runtime = std::min(of_core.runtime, cost.runtime);
      of_core.onchip_energy = std::min(of_core.onchip_energy, cost.onchip_energy);
    }
  }

  std::map<std::pair<int, int>, OfCut> costs_;
};

}  // namespace

double least_latency_of_partitions(PartitionGraphs& graphs, const CutPrices& prices,
                                   const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                                   double of_menus, double shortest, int samples) {
  double count = 1;
  for (const CutMenu& menu : graphs.cuts()) count *= static_cast<double>(menu.size());
  if (!(count <= most_partitions_bounded) || !(of_menus < shortest)) return 0;
  const LeastCosts costs(prices);
  struct Bounded {
    double bound = 0;
    bool closely = false;  ///< with allocations, or no more is known
    Partition partition;
    bool operator<(const Bounded& other) const {
      return bound != other.bound ? bound > other.bound : closely < other.closely;
    }
  };
  CoreRoutes routes;  // of the first problem
  const auto problem_of = [&](const Partition& partition) -> std::unique_ptr<const ScheduleProblem> {
    const auto graph = graphs.graph(partition, samples);
    const std::vector<OperandBits> needs = capacity_needs(*graph, Rules{});
    auto table = std::make_shared<CoreCosts>();
    for (std::size_t layer = 0; layer < partition.size(); ++layer) {
      const int number = static_cast<int>(layer), of_nodes = graphs.cut_of_nodes(number, partition[layer]);
      const CutPrice* const price = prices.find({number, of_nodes, needs[layer]});
      const CoreCosts::OfLayer* const of_cut =
          price != nullptr ? price->least.get() : costs.of(number, of_nodes);
      if (of_cut == nullptr) return nullptr;
      table->layers.push_back(
          with_all_cores(*of_cut, cores_with_costs(*graphs.layers()[layer], prices.kinds(), *of_cut)));
    }
    auto made =
        std::make_unique<const ScheduleProblem>(accelerator, graph, table, ScheduleOptions(), routes);
    if (!routes) routes = made->tables().routes;
    return made;
  };
  std::priority_queue<Bounded> open;
  Partition partition(graphs.cuts().size(), 0);
  for (bool more = true; more;) {
    end_if_interrupted();
    try {
      const auto problem = problem_of(partition);
      const double bound = problem ? schedule_bound(*problem, 0, shortest) : 0;
      if (bound < shortest) open.push({std::max(bound, of_menus), !problem, partition});
    } catch (const InputError&) {
      // There is no such graph.
    }
    more = false;
    for (std::size_t layer = 0; layer < partition.size() && !more; ++layer) {
      more = ++partition[layer] < static_cast<int>(graphs.cuts()[layer].size());
      if (!more) partition[layer] = 0;
    }
  }
  // The least of all counts: it is the one to look at closely.
  for (std::int64_t left = most_steps_closely; left > 0 && !open.empty() && !open.top().closely;) {
    end_if_interrupted();
    Bounded least = open.top();
    open.pop();
    const auto made = problem_of(least.partition);
    const ScheduleProblem& problem = *made;
    const auto nodes = static_cast<std::int64_t>(problem.graph()->nodes.size());
    const std::int64_t steps =
        nodes * (nodes + static_cast<std::int64_t>(problem.graph()->dependencies.size()));
    const std::int64_t allocations = std::min(most_allocations, left / steps);
    least.closely = true;
    least.bound = std::max(least.bound, schedule_bound(problem, allocations, shortest));
    left -= std::max<std::int64_t>(1, allocations) * steps;
    if (least.bound < shortest) open.push(std::move(least));
  }
  return open.empty() ? shortest : open.top().bound;
}

}  // namespace zz::core
