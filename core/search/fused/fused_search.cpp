#include "core/search/fused/fused_search.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/factors.hpp"
#include "core/search/fused/detail/fused_join.hpp"
#include "core/search/fused/detail/fused_member.hpp"
#include "core/search/fused/detail/own_mappings.hpp"
#include "core/search/fused/detail/phase_mappings.hpp"
#include "core/search/fused/detail/tile_summaries.hpp"
#include "core/search/fused/fused_check.hpp"
#include "core/search/fused/homes.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/multiset_tables.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"

namespace zz::core {
namespace {

/// What a layer's summaries follow from.
bool same_problem(const UnrolledLayer& a, const UnrolledLayer& b) {
  return a.problem.accelerator == b.problem.accelerator && a.unrolling == b.unrolling &&
         same_work(*a.layer, *b.layer);
}

/// What is proven of energy and latency of all mappings: their price is no lower than `least`.
struct PriceBound {
  FusedPrice price;
  double least = 0;
};

/// The least product of energy and latency above these bounds: at a corner, because the product curves the
/// other way than the bounds do.
double least_product(const std::vector<PriceBound>& bounds) {
  double least = infinite;
  for (std::size_t a = 0; a < bounds.size(); ++a) {
    for (std::size_t b = a + 1; b < bounds.size(); ++b) {
      const FusedPrice &one = bounds[a].price, &two = bounds[b].price;
      const double turn = one.of_energy * two.of_cycle - two.of_energy * one.of_cycle;
      if (turn == 0) continue;
      const double energy = (bounds[a].least * two.of_cycle - bounds[b].least * one.of_cycle) / turn;
      const double latency = (one.of_energy * bounds[b].least - two.of_energy * bounds[a].least) / turn;
      const auto above = [&](const PriceBound& bound) {
        return bound.price.of_energy * energy + bound.price.of_cycle * latency >=
               bound.least * (1 - rounding_tolerance);
      };
      if (std::all_of(bounds.begin(), bounds.end(), above)) least = std::min(least, energy * latency);
    }
  }
  return least < infinite ? least : 0;
}

/// The search with one home.
class HomeSearch {
 public:
  /// `home`: a memory of the array. `start`: a mapping to be better than.
  HomeSearch(const FusedNetwork& network, int home, const FusedOptions& options,
             const ProcessorTime& stopwatch, const FusedOptimum& start)
      : network_(network),
        home_(home),
        options_(options),
        stopwatch_(stopwatch),
        prefixes_(options.any_order ? RunPrefixes(network, most_prefixes) : RunPrefixes(network)),
        phases_(network, layers_, home, options.objective),
        best_(start) {
    best_.labels = 0;
    best_.lower_bound = 0;
    if (options.objective == Objective::edp) gap_ /= 2;  // of each factor
    // What is promised is compared with a bound for which all is hidden.
    if (options.objective == Objective::latency) gap_ = nearer(options.limits).gap;
  }

  FusedOptimum search() {
    if (!tabulate()) {
      best_.cut_off = true;
      return best_;
    }
    floors_.assign(network_.layers.size(), {});
    find_limits();
    if (options_.objective != Objective::energy) find_floors();
    switch (options_.objective) {
      case Objective::energy:
        best_.lower_bound = compulsory_;
        if (unproven()) best_.lower_bound = std::max(compulsory_, run(least_energy, false, best_.value));
        break;
      case Objective::latency:
        best_.lower_bound = run(least_latency, false, best_.value);
        // Of mappings with the same bound, those of little energy stall least.
        for (const bool second_buffers : {false, true})
          if (unproven()) run({0.01 / best_.energy, 1 / best_.latency.evaluated}, second_buffers, infinite);
        break;
      case Objective::edp:
        search_product();
        break;
    }
    best_.lower_bound = std::min(best_.lower_bound, best_.value);
    return best_;
  }

 private:
  static constexpr FusedPrice least_energy{1, 0};
  static constexpr FusedPrice least_latency{0, 1};

  // In docs/limits.md.
  static constexpr std::size_t most_prefixes = 2048;

  bool is_enlarged() const {
    return std::any_of(network_.layers.begin(), network_.layers.end(),
                       [](const UnrolledLayer& layer) { return layer.is_enlarged(); });
  }

  bool unproven() const {
    return !best_.cut_off && best_.promised(options_.objective) >
                                 best_.lower_bound * (1 + options_.limits.gap) * (1 + rounding_tolerance);
  }

  /// Energy and latency by themselves bound their product; so do sums in which both weigh the same.
  void search_product() {
    std::vector<PriceBound> bounds = {{least_energy, run(least_energy, false, best_.energy)},
                                      {least_latency, run(least_latency, false, best_.latency.evaluated)}};
    best_.lower_bound = least_product(bounds);
    constexpr int most_sums = 4;
    for (int sums = 0; sums < most_sums && unproven(); ++sums) {
      const double value = best_.value;
      const FusedPrice price{1 / best_.energy, 1 / best_.latency.evaluated};
      bounds.push_back({price, run(price, false, 2)});
      best_.lower_bound = std::max(best_.lower_bound, least_product(bounds));
      if (unproven()) run(price, true, 2);
      if (best_.value == value) break;
    }
  }

  /// Looks for a mapping whose price is below `limit`, and takes it if it is better. A lower bound of the
  /// price of all mappings. `second_buffers`: looks where there is room for them, and proves nothing.
  double run(const FusedPrice& price, bool second_buffers, double limit) {
    if (best_.cut_off) return 0;
    if (!summarise(price, second_buffers)) {
      best_.cut_off = true;
      return 0;
    }
    const Memory& memory = array_of(network_)->memories[static_cast<std::size_t>(home_)];
    const JoinPrices prices{static_cast<double>(memory.size), options_.keep, price, options_.objective};
    const auto seconds = [this] { return stopwatch_.seconds(); };
    FusedJoin join(network_, layers_, prices, prefixes_, floors_, options_.on_chip, options_.limits,
                   seconds);
    double lower_bound = std::min(join.root_bound(), dropped_);
    double least = limit;
    if (options_.objective == Objective::energy && !is_enlarged()) {
      const JoinedLayers alone = join.unfused();
      take(alone, join.lists());
      best_.unfused = std::min(best_.unfused, alone.value);
      least = std::min(least, alone.value);
    }
    JoinedLayers found;
    const auto look = [&](std::size_t beam) {
      const double cutoff = beam > 0 ? least : least / (1 + gap_);
      JoinedLayers joined = join.run(cutoff, beam, options_.limits, seconds);
      best_.labels += joined.labels;
      best_.cut_off = best_.cut_off || !joined.complete;
      lower_bound = std::max(lower_bound, std::min(joined.lower_bound, dropped_));
      if (joined.value < least) {
        least = joined.value;
        found = std::move(joined);
      }
      lower_bound = std::min(lower_bound, least);
      return least > lower_bound * (1 + gap_) * (1 + rounding_tolerance);
    };
    // Beams of growing width find good groups; the last run proves that there is nothing better.
    constexpr std::size_t narrow = 100, wide = 10000, all = 0;
    lower_bound = std::min(lower_bound, least);
    const bool hopeless = least <= lower_bound * (1 + gap_) || join.root_bound() >= dropped_;
    for (const std::size_t beam : {narrow, wide, all})
      if (hopeless || best_.cut_off || (beam == all && second_buffers) || !look(beam)) break;
    best_.labels += labels_of_layers_;
    if (!found.layers.empty()) take(found, join.lists());
    if (price.of_cycle == 0 && !found.layers.empty() && options_.objective == Objective::energy &&
        best_.energy > least * (1 + rounding_tolerance))
      throw std::logic_error(
          fmt::format("the layers' energies add up to {} pJ, the search found {}", best_.energy, least));
    return lower_bound;
  }

  /// Values joined layers, and keeps them if they are better.
  void take(const JoinedLayers& joined, const SharedLists& lists) {
    FusedNetwork network = network_;
    for (std::size_t layer = 0; layer < joined.layers.size(); ++layer) {
      const JoinedLayers::Layer& chosen = joined.layers[layer];
      UnrolledLayer& own = network.layers[layer];
      if (chosen.unfused) own = UnrolledLayer(own.by_itself());
    }
    FusedOptimum found;
    for (const int layer : joined.order) {
      const auto index = static_cast<std::size_t>(layer);
      const JoinedLayers::Layer& chosen = joined.layers[index];
      FusedLayer& own = found.mapping.layers.emplace_back(
          member_of_group(network, index, home_, layers_[index], chosen, lists));
      found.energy += own.energy;
      found.latency += fused_latency(network, layer, own);
    }
    found.network = reordered(network, joined.order);
    if (options_.objective != Objective::energy) {
      SearchLimits limits = nearer(options_.limits);
      limits.seconds = std::max(0.0, options_.limits.seconds - stopwatch_.seconds()) / 2 /
                       static_cast<double>(joined.order.size());
      phases_.speed_up(found, joined, lists, limits);
    }
    prefer_own_mappings(found, options_.objective,
                        options_.objective != Objective::energy && !is_enlarged());
    if (!(found.promised(options_.objective) < best_.promised(options_.objective))) return;
    best_.value = value_of(options_.objective, found.energy, found.latency.evaluated);
    best_.network = std::move(found.network);
    best_.mapping = std::move(found.mapping);
    best_.energy = found.energy;
    best_.latency = found.latency;
  }

  /// Whatever a layer exchanges, its nest is a mapping of the layer on the accelerator as it sees it: none
  /// of these takes fewer cycles than the best one.
  void find_floors() {
    std::vector<std::pair<std::size_t, std::size_t>> wanted;
    for (std::size_t layer = 0; layer < network_.layers.size(); ++layer) {
      if (layers_[layer].none()) continue;
      floors_[layer].fill(layers_[layer].own().tables->computation);
      for (std::size_t exchanged = 0; exchanged < OperandSet::count; ++exchanged)
        if (may_exchange_all(layer, OperandSet(exchanged))) wanted.emplace_back(layer, exchanged);
    }
    const double seconds = std::max(0.0, options_.limits.seconds - stopwatch_.seconds()) / 2;
    for (const auto& [layer, exchanged] : wanted) {
      double& floor = floors_[layer][exchanged];
      const MultisetTables* const tables = layers_[layer].own().tables;
      for (std::size_t earlier = 0; earlier < layer && floor == tables->computation; ++earlier)
        if (same_tables(layers_[earlier], layers_[layer])) floor = floors_[earlier][exchanged];
      if (floor > tables->computation) continue;
      const UnrolledLayer& own = network_.layers[layer];
      std::vector<std::string> operands;
      for (int operand = 0; operand < static_cast<int>(own.layer->operands.size()); ++operand)
        if (OperandSet(exchanged).has(operand))
          operands.push_back(own.problem.layer->memory_operand(operand));
      OptimumOptions options{
          .objective = Objective::latency, .limits = nearer(options_.limits), .break_ties = false};
      options.limits.seconds = seconds / static_cast<double>(wanted.size());
      try {
        const Certificate found = find_optimal_mapping(seen_in_group(own, home_, operands), options);
        floor = std::max(floor, found.lower_bound);
      } catch (const NoResult&) {
        floor = infinite;
      }
    }
  }

  /// The operands of the layer are those of tensors that may stay on chip.
  bool may_exchange_all(std::size_t layer, OperandSet operands) const {
    for (int operand = 0; operand < max_operands; ++operand)
      if (operands.has(operand) && !may_exchange(network_, layer, operand, home_)) return false;
    return true;
  }

  bool tabulate() {
    layers_.assign(network_.layers.size(), {});
    for (std::size_t layer = 0; layer < network_.layers.size(); ++layer) {
      const UnrolledLayer& own = network_.layers[layer];
      if (own.set < 0) continue;
      if (options_.limits.stop(stopwatch_.seconds(), 0)) return false;
      std::size_t earlier = 0;
      while (earlier < layer && (layers_[earlier].none() || !same_problem(network_.layers[earlier], own)))
        ++earlier;
      layers_[layer] = earlier < layer ? layers_[earlier] : tables_of(own);
    }
    known_.forget_tables();
    return true;
  }
  LayerViews tables_of(const UnrolledLayer& layer) {
    LayerViews views;
    views.all[0] = tables_of(layer, layer.problem);
    const std::string& output = layer.problem.layer->memory_operand(0);
    const Accelerator& accelerator = *layer.problem.accelerator;
    const int home = layer.memory(home_);
    if (!accelerator.memories[static_cast<std::size_t>(home)].holds(output) &&
        may_be_exchanged(accelerator, home, output))
      views.all[1] = tables_of(layer, seen_in_group(layer, home_, {output}));
    return views;
  }
  /// No layer may take so much that the least of the others is too much beside it.
  void find_limits() {
    limits_.assign(network_.layers.size(), {});
    if (options_.objective != Objective::energy) return;
    dropped_ = best_.value / (1 + gap_);
    std::vector<double> least;
    for (std::size_t layer = 0; layer < network_.layers.size(); ++layer) {
      const UnrolledLayer& own = network_.layers[layer];
      OperandSet& exchangeable = limits_[layer].exchangeable;
      for (int operand = 0; operand < max_operands; ++operand)
        if (may_exchange(network_, layer, operand, home_)) exchangeable.add(operand);
      least.push_back(layers_[layer].none() || own.is_enlarged() ? own.unfused_bound : infinite);
      for (const LayerTiles& tiles : layers_[layer].all)
        if (tiles.tables != nullptr)
          least.back() =
              std::min(least.back(), LeastCosts(*tiles.tables, tiles.home, exchangeable).whole());
    }
    compulsory_ = std::accumulate(least.begin(), least.end(), 0.0);
    for (std::size_t layer = 0; layer < limits_.size(); ++layer)
      limits_[layer].most = (dropped_ - (compulsory_ - least[layer])) * (1 + rounding_tolerance);
  }
  /// Of all layers that share its tables.
  EnergyLimit limit_of(std::size_t layer) const {
    EnergyLimit limit = limits_[layer];
    for (std::size_t other = 0; other < layers_.size(); ++other) {
      if (!same_tables(layers_[other], layers_[layer])) continue;
      limit.most = std::max(limit.most, limits_[other].most);
      limit.exchangeable.add_all(limits_[other].exchangeable);
    }
    return limit;
  }
  /// The tables of a layer on an accelerator as it sees it.
  LayerTiles tables_of(const UnrolledLayer& layer, const MappingProblem& problem) {
    LayerTiles tiles;
    tiles.tables = known_.tables(layer, problem, options_.objective != Objective::energy);
    const std::vector<Memory>& own = layer.problem.accelerator->memories;
    tiles.home = problem.accelerator->memory_index(own[static_cast<std::size_t>(layer.memory(home_))].name);
    return tiles;
  }

  bool summarise(const FusedPrice& price, bool second_buffers) {
    std::size_t bytes = 0;
    labels_of_layers_ = 0;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      LayerViews& views = layers_[layer];
      const auto end = layers_.begin() + static_cast<std::ptrdiff_t>(layer);
      const auto same = std::find_if(
          layers_.begin(), end, [&](const LayerViews& earlier) { return same_tables(earlier, views); });
      if (same != end) {
        views.all = same->all;
        continue;
      }
      const EnergyLimit limit = limit_of(layer);
      for (LayerTiles& tiles : views.all) {
        if (tiles.tables == nullptr) continue;
        tiles.summaries = known_.summaries(
            tiles.tables, tiles.home, price, second_buffers, limit,
            [&](std::size_t more) { return options_.limits.stop(stopwatch_.seconds(), bytes + more); });
        if (!tiles.summaries->complete()) return false;
        bytes += tiles.summaries->memory_bytes();
        labels_of_layers_ += tiles.summaries->labels();
      }
    }
    known_.forget_summaries();
    return true;
  }

  const FusedNetwork& network_;
  const int home_;  ///< a memory of the array
  const FusedOptions& options_;
  const ProcessorTime& stopwatch_;
  const RunPrefixes prefixes_;
  double gap_ = options_.limits.gap;  ///< of one run
  KnownLayers own_;
  KnownLayers& known_ = options_.known != nullptr ? *options_.known : own_;
  std::uint64_t labels_of_layers_ = 0;
  std::vector<LayerViews> layers_;
  std::vector<LatencyFloors> floors_;
  PhaseMappings phases_;
  std::vector<EnergyLimit> limits_;  ///< by layer
  double dropped_ = infinite;        ///< nothing below was dropped for them
  double compulsory_ = 0;            ///< pJ of all layers at least, where limits are known
  FusedOptimum best_;
};

/// The size of shared axes that most layers have, as the tokens of a transformer (the largest of these),
/// and the size up to so much larger that has most divisors. The same twice where none has more. Sizes are
/// multiples of what any layer unrolls.
std::pair<std::int64_t, std::int64_t> worth_enlarging(const FusedNetwork& network, double most) {
  struct Size {
    std::set<std::size_t> layers;
    std::int64_t step = 1;
  };
  std::map<std::int64_t, Size> sizes;
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    for (const LayerAxis& axis : network.axes[layer]) {
      if (axis.left == 1) continue;
      Size& size = sizes[axis.size];
      size.layers.insert(layer);
      size.step = std::lcm(size.step, axis.size / axis.left);
    }
  }
  const auto commonest = std::max_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.layers.size(), a.first) < std::pair(b.second.layers.size(), b.first);
  });
  if (commonest == sizes.end()) return {1, 1};
  const std::int64_t size = commonest->first, step = commonest->second.step;
  std::int64_t best = size;
  for (std::int64_t larger = size + step;
       static_cast<double>(larger) <= static_cast<double>(size) * (1 + most); larger += step)
    if (divisors_of(larger / step).size() > divisors_of(best / step).size()) best = larger;
  return {size, best};
}

/// A search may find what is faster by next to nothing, for much more energy.
bool is_better(const FusedOptimum& found, const FusedOptimum& best, const FusedOptions& options) {
  const double after = found.promised(options.objective), before = best.promised(options.objective);
  return after < before && (after * (1 + options.within) < before || found.energy <= best.energy);
}

}  // namespace

FusedOptimum find_fused_mapping(const FusedNetwork& network, const FusedOptions& options) {
  const ProcessorTime stopwatch;
  FusedOptimum best;
  best.network = network;
  double bound = 0;
  const bool product = options.objective == Objective::edp;
  const Accelerator* accelerator = array_of(network);
  for (std::size_t index = 0; index < network.layers.size(); ++index) {
    const UnrolledLayer& layer = network.layers[index];
    // Of products: the sum of energies times that of latencies is no less than the square of this sum.
    bound += product ? std::sqrt(layer.unfused_bound) : layer.unfused_bound;
    const FusedLayer& member = best.mapping.layers.emplace_back(on_its_own(layer));
    best.energy += layer.energy;
    best.latency += fused_latency(network, static_cast<int>(index), member);
  }
  best.value = best.unfused = value_of(options.objective, best.energy, best.latency.evaluated);
  best.unfused_energy = best.energy;
  best.unfused_latency = best.latency.evaluated;
  best.lower_bound = std::min(best.value, product ? bound * bound : bound);
  if (accelerator == nullptr) return best;
  for (const int home : possible_homes(*accelerator, options.homes)) {
    std::vector<FusedNetwork> networks = {seen_from_home(network, home)};
    if (const auto [from, to] = worth_enlarging(networks.front(), options.enlarge); to > from)
      networks.push_back(enlarged(networks.front(), from, to));
    for (const FusedNetwork& searched : networks) {
      FusedOptimum found = HomeSearch(searched, home, options, stopwatch, best).search();
      best.labels += found.labels;
      best.cut_off = best.cut_off || found.cut_off;
      best.unfused = std::min(best.unfused, found.unfused);
      if (is_better(found, best, options)) {
        best.value = found.value;
        best.network = std::move(found.network);
        best.mapping = std::move(found.mapping);
        best.energy = found.energy;
        best.latency = found.latency;
      }
      best.lower_bound = std::min(best.lower_bound, found.lower_bound);
    }
  }
  best.lower_bound = std::min(best.lower_bound, best.value);
  const std::vector<std::string> wrong = fused_violations(best.network, best.mapping);
  if (!wrong.empty())
    throw std::logic_error(fmt::format("a fused mapping is not sound: {}", wrong.front()));
  return best;
}

}  // namespace zz::core
