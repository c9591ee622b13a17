#include "core/search/fused/detail/prepared_layers.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/fused/detail/least_costs.hpp"
#include "core/search/fused/exchange_memories.hpp"
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"

namespace zz::core {
namespace {

/// A layer's tables follow from this.
bool same_problem(const NetworkLayer& a, const NetworkLayer& b) {
  return a.problem.accelerator == b.problem.accelerator && a.unrolling() == b.unrolling() &&
         a.problem.lengths == b.problem.lengths && same_work(*a.layer, *b.layer);
}

/// The tables of a layer on an accelerator as it sees it.
LayerTiles tables_of(const ExchangeProblem& problem, const NetworkLayer& layer,
                     const MappingProblem& seen) {
  LayerTiles tiles;
  tiles.tables = problem.known.tables(layer, seen, problem.counts_cycles());
  const std::vector<Memory>& own = layer.problem.accelerator->memories;
  tiles.exchange_memory = seen.accelerator->memory_index(own[layer.memory(problem.exchange_memory)].name);
  return tiles;
}

LayerViews views_of(const ExchangeProblem& problem, const NetworkLayer& layer) {
  LayerViews views;
  views.all[0] = tables_of(problem, layer, layer.problem);
  const std::string& output = layer.problem.layer->memory_operand(0);
  const Accelerator& accelerator = *layer.problem.accelerator;
  const int exchange_memory = layer.memory(problem.exchange_memory);
  if (!accelerator.memories[exchange_memory].holds(output) &&
      may_be_exchanged(accelerator, exchange_memory, output))
    views.all[1] = tables_of(problem, layer, seen_in_group(layer, problem.exchange_memory, {output}));
  return views;
}

OperandSet exchangeable(const ExchangeProblem& problem, std::size_t layer) {
  OperandSet found;
  for (int operand = 0; operand < max_operands; ++operand)
    if (may_exchange(problem.network, layer, operand, problem.exchange_memory)) found.add(operand);
  return found;
}

}  // namespace

std::optional<TabulatedLayers> TabulatedLayers::of(const ExchangeProblem& problem) {
  const Numbered<NetworkLayer>& layers = problem.network.layers;
  TabulatedLayers found;
  Numbered<LayerViews>& views = found.views_;
  views.resize(layers.size());
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (layers[layer].set < 0) continue;
    if (problem.must_stop(0)) return {};
    std::size_t earlier = 0;
    while (earlier < layer && (views[earlier].none() || !same_problem(layers[earlier], layers[layer])))
      ++earlier;
    views[layer] = earlier < layer ? views[earlier] : views_of(problem, layers[layer]);
  }
  problem.known.forget_tables();
  return found;
}

BoundedLayers::BoundedLayers(const ExchangeProblem& problem, TabulatedLayers tables, double value)
    : tables_(std::move(tables)), limits_(this->tables().size()), floors_(this->tables().size()) {
  if (problem.counts_cycles())
    find_floors(problem);
  else
    find_limits(problem, value);
}

/// No layer may take so much that the least of the others is too much beside it.
void BoundedLayers::find_limits(const ExchangeProblem& problem, double value) {
  dropped_ = value / (1 + problem.gap());
  std::vector<double> least;
  for (std::size_t layer = 0; layer < limits_.size(); ++layer) {
    const NetworkLayer& own = problem.network.layers[layer];
    const LayerViews& views = tables()[layer];
    limits_[layer].exchangeable = exchangeable(problem, layer);
    least.push_back(views.none() || own.is_lengthened() ? own.by_itself->lower_bound : infinite);
    for (const LayerTiles& tiles : views.all)
      if (tiles.tables != nullptr)
        least.back() =
            std::min(least.back(),
                     LeastCosts(*tiles.tables, tiles.exchange_memory, limits_[layer].exchangeable).whole());
  }
  compulsory_ = std::accumulate(least.begin(), least.end(), 0.0);
  for (std::size_t layer = 0; layer < limits_.size(); ++layer)
    limits_[layer].most = (dropped_ - (compulsory_ - least[layer])) * (1 + rounding_tolerance);
}

/// Whatever a layer exchanges, its nest is a mapping of the layer on the accelerator as it sees it: none of
/// these takes fewer cycles than the best one.
void BoundedLayers::find_floors(const ExchangeProblem& problem) {
  std::vector<std::pair<std::size_t, OperandSet>> wanted;
  for (std::size_t layer = 0; layer < floors_.size(); ++layer) {
    if (tables()[layer].none()) continue;
    floors_[layer].fill(tables()[layer].own().tables->computation);
    for (std::size_t number = 0; number < OperandSet::count; ++number)
      if (exchangeable(problem, layer).has_all(OperandSet(number)))
        wanted.emplace_back(layer, OperandSet(number));
  }
  const double seconds = problem.seconds_left() / 2;
  for (const auto& [layer, exchanged] : wanted) {
    double& floor = floors_[layer][exchanged.number()];
    const double computation = tables()[layer].own().tables->computation;
    for (std::size_t earlier = 0; earlier < layer && floor == computation; ++earlier)
      if (same_tables(tables()[earlier], tables()[layer])) floor = floors_[earlier][exchanged.number()];
    if (floor > computation) continue;
    const NetworkLayer& own = problem.network.layers[layer];
    std::vector<std::string> operands;
    for (int operand = 0; operand < static_cast<int>(own.layer->operands.size()); ++operand)
      if (exchanged.has(operand)) operands.push_back(own.problem.layer->memory_operand(operand));
    OptimumOptions options{
        .objective = Objective::latency, .limits = nearer(problem.options.limits), .break_ties = false};
    options.limits.seconds = seconds / static_cast<double>(wanted.size());
    try {
      const Certificate found =
          find_optimal_mapping(seen_in_group(own, problem.exchange_memory, operands), options);
      floor = std::max(floor, found.lower_bound);
    } catch (const NoResult&) {
      floor = infinite;
    }
  }
}

EnergyLimit BoundedLayers::limit(std::size_t layer) const {
  EnergyLimit limit = limits_[layer];
  for (std::size_t other = 0; other < limits_.size(); ++other) {
    if (!same_tables(tables()[other], tables()[layer])) continue;
    limit.most = std::max(limit.most, limits_[other].most);
    limit.exchangeable.add_all(limits_[other].exchangeable);
  }
  return limit;
}

std::optional<SummarisedLayers> SummarisedLayers::of(const ExchangeProblem& problem,
                                                     const BoundedLayers& layers,
                                                     const WeightedCost& weighted, bool second_buffers) {
  SummarisedLayers found;
  found.views_ = layers.tables();
  std::size_t bytes = 0;
  for (std::size_t layer = 0; layer < found.views_.size(); ++layer) {
    LayerViews& views = found.views_[layer];
    const auto end = found.views_.begin() + static_cast<std::ptrdiff_t>(layer);
    const auto same = std::find_if(found.views_.begin(), end,
                                   [&](const LayerViews& earlier) { return same_tables(earlier, views); });
    if (same != end) {
      views = *same;
      continue;
    }
    const EnergyLimit limit = layers.limit(layer);
    for (LayerTiles& tiles : views.all) {
      if (tiles.tables == nullptr) continue;
      tiles.summaries =
          problem.known.summaries(tiles.tables, tiles.exchange_memory, weighted, second_buffers, limit,
                                  [&](std::size_t more) { return problem.must_stop(bytes + more); });
      if (!tiles.summaries->complete()) return {};
      bytes += tiles.summaries->memory_bytes();
      found.labels_ += tiles.summaries->labels();
    }
  }
  problem.known.forget_summaries();
  return found;
}

}  // namespace zz::core
