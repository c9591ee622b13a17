#include "core/search/fused/fused_search.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/base/factors.hpp"
#include "core/search/fused/detail/fused_join.hpp"
#include "core/search/fused/detail/fused_member.hpp"
#include "core/search/fused/detail/own_mappings.hpp"
#include "core/search/fused/detail/phase_mappings.hpp"
#include "core/search/fused/detail/prepared_layers.hpp"
#include "core/search/fused/detail/run_prefixes.hpp"
#include "core/search/fused/exchange_memories.hpp"
#include "core/search/fused/fused_check.hpp"
#include "core/search/methods/processor_time.hpp"

namespace zz::core {
namespace {

/// The best mapping of a network whose layers exchange tensors in one memory, or `start` if none is better,
/// with the lower bound of all. `labels`, `unfused` and `cut_off` are of this search.
FusedOptimum search_exchanges_in(const ExchangeProblem& problem, const FusedOptimum& start);
std::pair<std::int64_t, std::int64_t> worth_lengthening(const FusedNetwork& network, double most);
bool is_better(const FusedOptimum& found, const FusedOptimum& best, const FusedOptions& options);

}  // namespace

FusedOptimum find_fused_mapping(const FusedNetwork& network, const FusedOptions& options) {
  const ProcessorTime stopwatch;
  FusedOptimum best;
  best.network = network;
  double bound = 0;
  const bool product = options.objective == Objective::edp;
  const Accelerator* accelerator = array_of(network);
  for (std::size_t index = 0; index < network.layers.size(); ++index) {
    const MappedLayer& layer = *network.layers[index].by_itself;
    // A bound of products: the sum of energies times that of latencies is no less than the square of this
    // sum.
    bound += product ? std::sqrt(layer.lower_bound) : layer.lower_bound;
    const FusedLayer& member = best.mapping.layers.emplace_back(on_its_own(layer));
    best.energy += layer.energy;
    best.latency += fused_latency(network, static_cast<int>(index), member);
  }
  best.value = best.unfused = value_of(options.objective, best.energy, best.latency.evaluated);
  best.unfused_energy = best.energy;
  best.unfused_latency = best.latency.evaluated;
  best.lower_bound = std::min(best.value, product ? bound * bound : bound);
  if (accelerator == nullptr) return best;
  for (const int exchange_memory : exchange_memories(*accelerator, options.exchange_memories)) {
    std::vector<FusedNetwork> networks = {seen_from_exchange_memory(network, exchange_memory)};
    if (const auto [from, to] = worth_lengthening(networks.front(), options.enlarge); to > from)
      networks.push_back(lengthened(networks.front(), from, to));
    for (const FusedNetwork& searched : networks) {
      KnownLayers nothing;
      KnownLayers& known = options.known != nullptr ? *options.known : nothing;
      FusedOptimum found =
          search_exchanges_in({searched, exchange_memory, options, stopwatch, known}, best);
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

namespace {

constexpr WeightedCost least_energy{1, 0};
constexpr WeightedCost least_latency{0, 1};

// In docs/limits.md.
constexpr std::size_t most_prefixes = 2048;

/// A line that is proven of energy and latency of all mappings: their weighted cost is no lower than
/// `least`.
struct WeightedBound {
  WeightedCost weighted;
  double least = 0;
};

/// The least product of energy and latency above these bounds: at a corner, because the product curves the
/// other way than the bounds do.
double least_product(const std::vector<WeightedBound>& bounds) {
  double least = infinite;
  for (std::size_t a = 0; a < bounds.size(); ++a) {
    for (std::size_t b = a + 1; b < bounds.size(); ++b) {
      const WeightedCost &one = bounds[a].weighted, &two = bounds[b].weighted;
      const double turn = one.of_energy * two.of_cycle - two.of_energy * one.of_cycle;
      if (turn == 0) continue;
      const double energy = (bounds[a].least * two.of_cycle - bounds[b].least * one.of_cycle) / turn;
      const double latency = (one.of_energy * bounds[b].least - two.of_energy * bounds[a].least) / turn;
      const auto above = [&](const WeightedBound& bound) {
        return bound.weighted.of_energy * energy + bound.weighted.of_cycle * latency >=
               bound.least * (1 - rounding_tolerance);
      };
      if (std::all_of(bounds.begin(), bounds.end(), above)) least = std::min(least, energy * latency);
    }
  }
  return least < infinite ? least : 0;
}

/// Runs of one search, each for one weighted cost: joins of summaries, of which the best result is kept.
class WeightedRuns {
 public:
  WeightedRuns(const ExchangeProblem& problem, const BoundedLayers& layers, const FusedOptimum& start)
      : problem_(problem),
        layers_(layers),
        prefixes_(problem.options.any_order ? RunPrefixes(problem.network, most_prefixes)
                                            : RunPrefixes(problem.network)),
        phases_(problem.network, problem.exchange_memory, problem.options.objective),
        best_(start) {}

  FusedOptimum search() {
    switch (problem_.options.objective) {
      case Objective::energy:
        best_.lower_bound = layers_.compulsory();
        if (unproven())
          best_.lower_bound = std::max(layers_.compulsory(), run(least_energy, false, best_.value));
        break;
      case Objective::latency:
        best_.lower_bound = run(least_latency, false, best_.value);
        // Among mappings with the same bound those of little energy stall least.
        for (const bool second_buffers : {false, true})
          if (unproven()) run({0.01 / best_.energy, 1 / best_.latency.evaluated}, second_buffers, infinite);
        break;
      case Objective::edp:
        search_product();
        break;
    }
    best_.lower_bound = std::min(best_.lower_bound, best_.value);
    return std::move(best_);
  }

 private:
  bool is_lengthened() const {
    return std::any_of(problem_.network.layers.begin(), problem_.network.layers.end(),
                       [](const NetworkLayer& layer) { return layer.is_lengthened(); });
  }

  bool unproven() const {
    return !best_.cut_off &&
           best_.promised(problem_.options.objective) >
               best_.lower_bound * (1 + problem_.options.limits.gap) * (1 + rounding_tolerance);
  }

  /// Energy and latency by themselves bound their product; so do sums in which both weigh the same.
  void search_product() {
    std::vector<WeightedBound> bounds = {
        {least_energy, run(least_energy, false, best_.energy)},
        {least_latency, run(least_latency, false, best_.latency.evaluated)}};
    best_.lower_bound = least_product(bounds);
    constexpr int most_sums = 4;
    for (int sums = 0; sums < most_sums && unproven(); ++sums) {
      const double value = best_.value;
      const WeightedCost weighted{1 / best_.energy, 1 / best_.latency.evaluated};
      bounds.push_back({weighted, run(weighted, false, 2)});
      best_.lower_bound = std::max(best_.lower_bound, least_product(bounds));
      if (unproven()) run(weighted, true, 2);
      if (best_.value == value) break;
    }
  }

  /// Looks for a mapping whose weighted cost is below `limit`, and takes it if it is better. A lower bound
  /// of the weighted cost of all mappings. `second_buffers`: looks where there is room for them, and proves
  /// nothing.
  double run(const WeightedCost& weighted, bool second_buffers, double limit) {
    if (best_.cut_off) return 0;
    const double gap = problem_.gap();
    const std::optional<SummarisedLayers> layers =
        SummarisedLayers::of(problem_, layers_, weighted, second_buffers);
    if (!layers) {
      best_.cut_off = true;
      return 0;
    }
    const FusedNetwork& network = problem_.network;
    const Memory& memory = array_of(network)->memories[problem_.exchange_memory];
    const JoinRules rules{static_cast<double>(memory.size), problem_.options.keep, weighted,
                          problem_.options.objective};
    const auto seconds = [this] { return problem_.stopwatch.seconds(); };
    FusedJoin join(network, layers->views(), rules, prefixes_, layers_.floors(), problem_.options.on_chip,
                   problem_.options.limits, seconds);
    double lower_bound = std::min(join.root_bound(), layers_.dropped());
    double least = limit;
    if (problem_.options.objective == Objective::energy && !is_lengthened()) {
      const JoinedLayers alone = join.unfused();
      take(alone, *layers, join.lists());
      best_.unfused = std::min(best_.unfused, alone.value);
      least = std::min(least, alone.value);
    }
    JoinedLayers found;
    const auto look = [&](std::size_t beam) {
      const double cutoff = beam > 0 ? least : least / (1 + gap);
      JoinedLayers joined = join.run(cutoff, beam, problem_.options.limits, seconds);
      best_.labels += joined.labels;
      best_.cut_off = best_.cut_off || !joined.complete;
      lower_bound = std::max(lower_bound, std::min(joined.lower_bound, layers_.dropped()));
      if (joined.value < least) {
        least = joined.value;
        found = std::move(joined);
      }
      lower_bound = std::min(lower_bound, least);
      return least > lower_bound * (1 + gap) * (1 + rounding_tolerance);
    };
    // Beams of growing width find good groups; the last run proves that there is nothing better.
    constexpr std::size_t narrow = 100, wide = 10000, all = 0;
    lower_bound = std::min(lower_bound, least);
    const bool hopeless = least <= lower_bound * (1 + gap) || join.root_bound() >= layers_.dropped();
    for (const std::size_t beam : {narrow, wide, all})
      if (hopeless || best_.cut_off || (beam == all && second_buffers) || !look(beam)) break;
    best_.labels += layers->labels();
    if (!found.layers.empty()) take(found, *layers, join.lists());
    if (weighted.of_cycle == 0 && !found.layers.empty() &&
        problem_.options.objective == Objective::energy && best_.energy > least * (1 + rounding_tolerance))
      throw std::logic_error(
          fmt::format("the layers' energies add up to {} pJ, the search found {}", best_.energy, least));
    return lower_bound;
  }

  /// Values joined layers, and keeps them if they are better.
  void take(const JoinedLayers& joined, const SummarisedLayers& layers, const SharedLists& lists) {
    FusedNetwork network = problem_.network;
    for (std::size_t layer = 0; layer < joined.layers.size(); ++layer)
      if (joined.layers[layer].unfused) network.layers[layer].shorten();
    FusedOptimum found;
    for (const int layer : joined.order) {
      const auto index = static_cast<std::size_t>(layer);
      const JoinedLayers::Layer& chosen = joined.layers[index];
      FusedLayer& own = found.mapping.layers.emplace_back(
          member_of_group(network, index, problem_.exchange_memory, layers.views()[index], chosen, lists));
      found.energy += own.energy;
      found.latency += fused_latency(network, layer, own);
    }
    found.network = reordered(network, joined.order);
    if (problem_.options.objective != Objective::energy) {
      SearchLimits limits = nearer(problem_.options.limits);
      limits.seconds = problem_.seconds_left() / 2 / static_cast<double>(joined.order.size());
      phases_.speed_up(found, joined, layers.views(), lists, limits);
    }
    prefer_own_mappings(found, problem_.options.objective,
                        problem_.options.objective != Objective::energy && !is_lengthened());
    if (!(found.promised(problem_.options.objective) < best_.promised(problem_.options.objective))) return;
    best_.value = value_of(problem_.options.objective, found.energy, found.latency.evaluated);
    best_.network = std::move(found.network);
    best_.mapping = std::move(found.mapping);
    best_.energy = found.energy;
    best_.latency = found.latency;
  }

  const ExchangeProblem& problem_;
  const BoundedLayers& layers_;
  const RunPrefixes prefixes_;
  PhaseMappings phases_;
  FusedOptimum best_;
};

FusedOptimum search_exchanges_in(const ExchangeProblem& problem, const FusedOptimum& start) {
  FusedOptimum best = start;
  best.labels = 0;
  best.lower_bound = 0;
  std::optional<TabulatedLayers> tables = TabulatedLayers::of(problem);
  if (!tables) {
    best.cut_off = true;
    return best;
  }
  const BoundedLayers layers(problem, std::move(*tables), best.value);
  return WeightedRuns(problem, layers, best).search();
}

/// The size of shared axes that most layers have, as the tokens of a transformer (the largest of these),
/// and the length up to so much larger that has most divisors. The same twice where none has more. Lengths
/// are multiples of what any layer unrolls, and no tile of theirs but the outermost loop's begins beyond
/// the size.
std::pair<std::int64_t, std::int64_t> worth_lengthening(const FusedNetwork& network, double most) {
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
    if (larger - size < larger / prime_factors(larger / step).back().first &&
        divisors_of(larger / step).size() > divisors_of(best / step).size())
      best = larger;
  return {size, best};
}

/// A search may find what is faster by next to nothing, for much more energy.
bool is_better(const FusedOptimum& found, const FusedOptimum& best, const FusedOptions& options) {
  const double after = found.promised(options.objective), before = best.promised(options.objective);
  return after < before && (after * (1 + options.within) < before || found.energy <= best.energy);
}

}  // namespace

}  // namespace zz::core
