#include "core/multicore/bound/partition_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/bound/detail/cut_waits.hpp"
#include "core/multicore/bound/detail/uncut_network.hpp"
#include "core/multicore/bound/detail/waiting_bound.hpp"
#include "core/multicore/bound/schedule_bound.hpp"

namespace zz::core {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Allocations of one partition.
constexpr std::int64_t most_allocations = 1024;

// Steps are about as long as those of a bound of a graph that looks at all pairs of nodes.
constexpr std::int64_t steps_of_graph = 5'000, steps_of_node = 200, steps_of_row = 10;

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

/// Branch and bound over the cuts of layers. A part of all partitions has the cut of some layers; it has
/// the bound by pairs of cuts, and one of a partition that of its graph. The part with the least bound is
/// looked at first, so that no other one is below it.
class PartitionTree {
 public:
  PartitionTree(const Workload& workload, PartitionGraphs& graphs, const CutPrices& prices,
                const std::shared_ptr<const MultiCoreAccelerator>& accelerator, int samples)
      : graphs_(graphs),
        prices_(prices),
        least_costs_(prices),
        accelerator_(accelerator),
        samples_(samples),
        whole_(uncut(workload, *accelerator)),
        menu_(graphs.cuts().size()),
        rows_(graphs.cuts().size()) {
    list_rows();
    pairs_.emplace(whole_, direct_inputs(workload, whole_), *accelerator, menu_, samples);
    pairs_->keep();
    all_rows_ = pairs_->all_rows();
  }

  /// The bound that so many steps find, at least `of_menus` and at most `shortest`.
  double least_latency(double of_menus, double shortest, std::int64_t steps) {
    left_ = steps;
    shortest_ = shortest;
    Part all{of_menus, Known::pairs, -1, Partition(menu_.size(), -1)};
    bound_by_pairs(all);
    add(std::move(all));
    while (!open_.empty() && open_.top().known != Known::allocations && left_ > 0) {
      end_if_interrupted();
      Part least = open_.top();
      open_.pop();
      if (least.next >= 0) {
        divide(least);
      } else {
        bound_by_graph(least);
        add(std::move(least));
      }
    }
    return open_.empty() ? shortest : open_.top().bound;
  }

 private:
  enum class Known : char { pairs, graph, allocations };  ///< the last one: no more is to be found out

  struct Part {
    double bound = 0;
    Known known = Known::pairs;
    int next = -1;        ///< the layer whose cut is decided next; -1: it is one partition
    Partition partition;  ///< -1: any cut

    bool operator<(const Part& other) const {
      return bound != other.bound ? bound > other.bound : known < other.known;
    }
  };

  void list_rows() {
    for (std::size_t layer = 0; layer < rows_.size(); ++layer)
      rows_[layer].resize(graphs_.cuts()[layer].size());
    for (const auto& [key, price] : prices_.known()) {
      end_if_interrupted();
      if (price.costs->on.empty()) continue;
      std::vector<PricedCut>& menu = menu_[key.layer];
      std::vector<int>& rows = rows_[key.layer][key.cut];
      if (!rows.empty() && menu.back().costs == price.least) continue;
      rows.push_back(static_cast<int>(menu.size()));
      menu.push_back({graphs_.cuts()[key.layer][key.cut],
                      nodes_by_shape(graphs_.cut_layer_of(key.layer, key.cut)),
                      price.least,
                      graphs_.samples_together(key.layer, key.cut),
                      {}});
    }
    for (std::size_t layer = 0; layer < rows_.size(); ++layer)
      for (std::size_t cut = 0; cut < rows_[layer].size(); ++cut)
        rows_[layer][cut] =
            rows_[layer][graphs_.cut_of_nodes(static_cast<int>(layer), static_cast<int>(cut))];
  }

  void add(Part part) {
    if (part.bound < shortest_) open_.push(std::move(part));
  }

  /// By pairs of cuts, and the layer that says most about it next.
  void bound_by_pairs(Part& part) {
    CutWaits::Rows rows = all_rows_;
    for (std::size_t layer = 0; layer < rows.size(); ++layer) {
      if (part.partition[layer] >= 0) rows[layer] = rows_[layer][part.partition[layer]];
      left_ -= steps_of_row * static_cast<std::int64_t>(rows[layer].size());
    }
    const CutWaits::Waits waits = pairs_->among(rows);
    double most = -1;
    part.next = -1;
    for (std::size_t layer = 0; layer < waits.size(); ++layer) {
      double least = infinite;
      for (const CutWait& wait : waits[layer]) least = std::min(least, wait.total());
      part.bound = std::max(part.bound, without_rounding(least));
      if (part.partition[layer] >= 0 || least <= most) continue;
      most = least;
      part.next = static_cast<int>(layer);
    }
  }

  void divide(const Part& part) {
    const std::vector<std::vector<int>>& cuts = rows_[part.next];
    for (std::size_t cut = 0; cut < cuts.size(); ++cut) {
      if (cuts[cut].empty()) continue;
      Part smaller = part;
      smaller.partition[part.next] = static_cast<int>(cut);
      bound_by_pairs(smaller);
      add(std::move(smaller));
    }
  }

  /// First with cores left open, then over allocations.
  void bound_by_graph(Part& part) {
    std::unique_ptr<const ScheduleProblem> problem;
    try {
      problem = problem_of(part.partition);
    } catch (const InputError&) {
      part.bound = infinite;  // there is no such graph
      return;
    }
    if (!problem) {
      part.known = Known::allocations;
      return;
    }
    const auto nodes = static_cast<std::int64_t>(problem->graph()->nodes.size());
    const std::int64_t once = nodes + static_cast<std::int64_t>(problem->graph()->dependencies.size());
    const bool small = nodes <= WaitingBound::most_nodes_in_pairs, again = part.known == Known::graph;
    const std::int64_t steps = small ? nodes * once : once;
    const std::int64_t most = std::min(left_, most_steps_of_bound) / steps;
    const std::int64_t allocations = again ? std::clamp<std::int64_t>(most, 1, most_allocations) : 0;
    part.bound = std::max(part.bound, schedule_bound(*problem, allocations, shortest_));
    left_ -= steps_of_graph + steps_of_node * once + std::max<std::int64_t>(1, allocations) * steps;
    // Allocations of large graphs are not looked at.
    part.known = small && !again ? Known::graph : Known::allocations;
  }

  /// Null: the costs of some cut are not known.
  std::unique_ptr<const ScheduleProblem> problem_of(const Partition& partition) {
    const auto graph = graphs_.graph(partition, samples_);
    const std::vector<OperandBits> needs = capacity_needs(*graph, Rules{});
    auto table = std::make_shared<CoreCosts>();
    for (std::size_t layer = 0; layer < partition.size(); ++layer) {
      const int number = static_cast<int>(layer), of_nodes = graphs_.cut_of_nodes(number, partition[layer]);
      const CutPrice* const price = prices_.find({number, of_nodes, needs[layer]});
      const CoreCosts::OfLayer* const of_cut =
          price != nullptr ? price->least.get() : least_costs_.of(number, of_nodes);
      if (of_cut == nullptr) return nullptr;
      table->layers.push_back(
          with_all_cores(*of_cut, cores_with_costs(*graphs_.layers()[layer], prices_.kinds(), *of_cut)));
    }
    auto made =
        std::make_unique<const ScheduleProblem>(accelerator_, graph, table, ScheduleOptions(), routes_);
    if (!routes_) routes_ = made->tables().routes;
    return made;
  }

  PartitionGraphs& graphs_;
  const CutPrices& prices_;
  const LeastCosts least_costs_;
  const std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  const int samples_;
  const ComputationNodeGraph whole_;
  PricedMenus menu_;                                 ///< each known cost by itself
  std::vector<std::vector<std::vector<int>>> rows_;  ///< by layer and cut: in `menu_`
  std::optional<CutWaits> pairs_;
  CutWaits::Rows all_rows_;
  CoreRoutes routes_;  ///< of the first problem
  std::int64_t left_ = 0;
  double shortest_ = infinite;
  std::priority_queue<Part> open_;
};

}  // namespace

double least_latency_of_partitions(const Workload& workload, PartitionGraphs& graphs,
                                   const CutPrices& prices,
                                   const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                                   double of_menus, double shortest, std::int64_t steps, int samples) {
  std::vector<std::size_t> rows(graphs.cuts().size(), 0);
  for (const auto& [key, price] : prices.known()) rows[key.layer] += price.costs->on.empty() ? 0 : 1;
  std::size_t pairs = 0;
  for (const LayerPairs::Pair& pair : graphs.pairs()) pairs += rows[pair.producer] * rows[pair.consumer];
  if (!(of_menus < shortest) || pairs > most_pairs_kept) return of_menus;
  return PartitionTree(workload, graphs, prices, accelerator, samples)
      .least_latency(of_menus, shortest, steps);
}

}  // namespace zz::core
