#include "core/search/fused/detail/layer_phases.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace zz::core {
namespace {

MultisetTables::Cost least_of(const MultisetTables::Cost& a, const MultisetTables::Cost& b) {
  MultisetTables::Cost least{std::min(a.energy, b.energy), {}};
  for (std::size_t port = 0; port < least.busy.size(); ++port)
    least.busy[port] = std::min(a.busy[port], b.busy[port]);
  return least;
}

}  // namespace

/// A role of an operand that is open, with its costs.
struct LayerPhases::Choice {
  FusedOperand operand;
  MultisetTables::Cost cost;
  Rooms bits{};
};

LayerPhases::LayerPhases(const FusedNetwork& network, const Numbered<LayerViews>& layers,
                         const JoinRules& rules, const Numbered<LatencyFloors>& floors, SharedLists& lists)
    : network_(network),
      layers_(layers),
      rules_(rules),
      floors_(floors),
      lists_(lists),
      known_(network.layers.size()) {
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    std::array<double, OperandSet::count>& bounds = bounds_.emplace_back();
    bounds.fill(infinite);
    const bool as_it_was = is_alone(static_cast<int>(layer)) || network.layers[layer].is_lengthened();
    const auto same = [&](std::size_t earlier) {
      return !as_it_was && !network.layers[earlier].is_lengthened() &&
             same_tables(layers[earlier], layers[layer]);
    };
    std::size_t earlier = 0;
    while (earlier < layer && !same(earlier)) ++earlier;
    if (earlier < layer) {
      bounds = bounds_[earlier];
      continue;
    }
    if (as_it_was) bounds[0] = alone(*network.layers[layer].by_itself, true);
    for (const LayerTiles& tiles : layers[layer].all)
      if (tiles.tables != nullptr) bound_layer(layer, tiles, bounds);
  }
}

/// The weighted cost of a layer's own mapping, or a bound of it.
double LayerPhases::alone(const MappedLayer& layer, bool bound) const {
  const WeightedCost& weighted = rules_.weighted;
  const double value = (weighted.of_energy > 0 ? weighted.of_energy * layer.energy : 0) +
                       (weighted.of_cycle > 0 ? weighted.of_cycle * layer.latency : 0);
  const bool is_objective = (rules_.objective == Objective::energy && weighted.of_cycle == 0) ||
                            (rules_.objective == Objective::latency && weighted.of_energy == 0);
  return bound && is_objective && layer.value > 0 ? value * (layer.lower_bound / layer.value) : value;
}

void LayerPhases::bound_layer(std::size_t layer, const LayerTiles& tiles,
                              std::array<double, OperandSet::count>& bounds) const {
  const MultisetTables& tables = *tiles.tables;
  const TileSummaries& summaries = *tiles.summaries;
  const std::size_t full = tables.size - 1;
  const int operands = static_cast<int>(tables.operands.size());
  std::vector<OperandSet> all;  // that are seen so
  for (std::size_t number = 0; number < OperandSet::count; ++number) {
    const OperandSet on_chip(number);
    bool possible = &layers_[layer].tiles(on_chip.has(0)) == &tiles;
    for (int operand = 0; operand < max_operands; ++operand)
      if (on_chip.has(operand))
        possible = possible && operand < operands && summaries.exchange_level(operand) >= 0;
    if (possible) all.push_back(on_chip);
  }
  // The least that an open operand takes, by whether it is exchanged.
  std::array<std::array<TileSummaries::Closed, 2>, max_operands> least;
  for (std::size_t tile = 0; tile < tables.size; ++tile) {
    if (summaries.at(tile).empty()) continue;
    for (int operand = 0; operand < operands; ++operand) {
      const int exchange_memory = summaries.exchange_level(operand);
      if (exchange_memory < 0) continue;
      auto& [brought, exchanged] = least[operand];
      brought = summaries.brought(operand, tile, false, 1);
      exchanged = {};
      if (summaries.can_keep(operand)) {
        MultisetTables::Cost kept;
        tables.add(kept, operand, exchange_memory + 1, full);
        brought.cost = least_of(brought.cost, kept);
      }
      exchanged.bits[TileSummaries::in_exchange_memory] =
          tables.bits(operand, exchange_memory, tile, false);
    }
    for (const TileSummaries::Tile& way : summaries.at(tile)) {
      for (const OperandSet on_chip : all) {
        if (!way.open.has_all(on_chip)) continue;
        MultisetTables::Cost cost = way.cost;
        std::array<const TileSummaries::Closed*, max_operands> takes{};
        for (int operand = 0; operand < operands; ++operand) {
          if (!way.open.has(operand)) continue;
          takes[operand] = &least[operand][on_chip.has(operand) ? 1 : 0];
          cost += takes[operand]->cost;
        }
        const double weighted = rules_.weighted.of(cost, floors_[layer][on_chip.number()]);
        if (!(weighted < bounds[on_chip.number()])) continue;
        Rooms used = way.used;
        for (const TileSummaries::Closed* of : takes)
          for (std::size_t room = 0; room < used.size() && of != nullptr; ++room)
            used[room] += of->bits[room];
        if (summaries.fits(used)) bounds[on_chip.number()] = weighted;
      }
    }
  }
}

double LayerPhases::tensor_bits(int tensor, int list, int depth) {
  const int producer = network_.tensors[tensor].producer;
  const std::size_t tile = lists_.tile(producer, lists_.prefix(list, depth));
  const LayerTiles& tiles = layers_[producer].tiles(true);
  // The lowest memory of an output holds sums whenever its layer runs, and finished elements afterwards.
  return tiles.tables->finished_bits[static_cast<std::size_t>(tiles.summaries->exchange_level(0))][tile];
}

double LayerPhases::made_bits(int layer, int list, int depth, bool partial) {
  const std::size_t tile = lists_.tile(layer, lists_.prefix(list, depth));
  const LayerTiles& tiles = layers_[layer].tiles(true);
  return tiles.tables->bits(0, tiles.summaries->exchange_level(0), tile, partial);
}

const std::vector<LayerPhase>& LayerPhases::at(int layer, int list, OperandSet on_chip) {
  const auto [entry, fresh] = known_[layer].try_emplace(
      static_cast<std::uint64_t>(list) * OperandSet::count + on_chip.number(), std::vector<LayerPhase>());
  if (fresh) entry->second = made(layer, list, on_chip);
  return entry->second;
}

/// The choices of an open operand.
std::vector<LayerPhases::Choice> LayerPhases::choices(int layer, const LayerTiles& tiles, int list,
                                                      int operand, bool partial, bool exchanged) {
  if (exchanged) return {Choice{{FusedOperand::Role::exchanged, 0}, {}, {}}};
  const MultisetTables& tables = *tiles.tables;
  const TileSummaries& summaries = *tiles.summaries;
  const int length = lists_.length(list);
  const TileSummaries::Closed brought =
      summaries.brought(operand, lists_.tile(layer, list), partial, length > 0 ? summaries.buffers() : 1);
  std::vector<Choice> found = {Choice{{}, brought.cost, brought.bits}};
  if (!rules_.keep || !summaries.can_keep(operand)) return found;
  const int level = summaries.exchange_level(operand);
  for (int depth = length; depth-- > 0;) {
    const std::size_t portion = lists_.tile(layer, lists_.prefix(list, depth));
    Choice kept{{FusedOperand::Role::kept, depth}, {}, {}};
    kept.bits[TileSummaries::in_exchange_memory] = tables.bits(operand, level, portion, partial);
    tables.add(kept.cost, operand, level + 1, portion);
    if (summaries.fits(kept.bits) && !rules_.weighted.no_dearer(found.back().cost, kept.cost, tables.ports))
      found.push_back(kept);
  }
  return found;
}

/// Adds the ways to map a layer of a set.
void LayerPhases::add_phases(int layer, int list, OperandSet on_chip) {
  const auto at = static_cast<std::size_t>(layer);
  const std::size_t tile = lists_.tile(layer, list);
  if (tile == SharedLists::none) return;
  const LayerTiles& tiles = layers_[at].tiles(on_chip.has(0));
  const TileSummaries& summaries = *tiles.summaries;
  const int operands = static_cast<int>(tiles.tables->operands.size());
  Choices choices;
  for (int operand = 0; operand < operands; ++operand)
    for (const bool partial : {false, true})
      if (summaries.exchange_level(operand) >= 0 && (operand == 0 || !partial))
        choices[operand][partial ? 1 : 0] =
            this->choices(layer, tiles, list, operand, partial, on_chip.has(operand));
  using Cost = MultisetTables::Cost;
  const std::function<void(const TileSummaries::Tile&, int, LayerPhase&, const Cost&, const Rooms&)>
      choose = [&](const TileSummaries::Tile& way, int operand, LayerPhase& phase, const Cost& cost,
                   const Rooms& used) {
        if (!summaries.fits(used) || !(cost.energy < infinite)) return;
        if (operand == operands) {
          phase.value = rules_.weighted.of(cost, floors_[at][on_chip.number()]);
          phase.needed = used[TileSummaries::in_exchange_memory];
          found_.push_back(phase);
          return;
        }
        if (!way.open.has(operand)) {
          choose(way, operand + 1, phase, cost, used);
          return;
        }
        for (const Choice& choice : choices[operand][operand == 0 && way.partial ? 1 : 0]) {
          phase.operands[operand] = choice.operand;
          if (operand == 0) phase.partial = way.partial && on_chip.has(operand);
          Cost with = cost;
          with += choice.cost;
          Rooms taken = used;
          for (std::size_t room = 0; room < taken.size(); ++room) taken[room] += choice.bits[room];
          if (choice.operand.role != FusedOperand::Role::kept) {
            choose(way, operand + 1, phase, with, taken);
            continue;
          }
          double& kept = phase.kept[choice.operand.depth];
          const double before = kept;
          kept += choice.bits[TileSummaries::in_exchange_memory];
          choose(way, operand + 1, phase, with, taken);
          kept = before;
        }
        phase.operands[operand] = {};
      };
  for (const TileSummaries::Tile& way : summaries.at(tile)) {
    if (!way.open.has_all(on_chip)) continue;
    LayerPhase phase;
    phase.label = way.label;
    choose(way, 0, phase, way.cost, way.used);
  }
}

std::vector<LayerPhase> LayerPhases::made(int layer, int list, OperandSet on_chip) {
  const auto at = static_cast<std::size_t>(layer);
  const bool nothing = list == 0 && on_chip.number() == 0;  // is shared or exchanged
  found_.clear();
  if (nothing && (is_alone(layer) || network_.layers[at].is_lengthened())) {
    // As it was, and with nothing beside it in the exchange memory.
    LayerPhase phase;
    phase.value = alone(*network_.layers[at].by_itself, false);
    phase.needed = rules_.capacity;
    phase.as_it_was = true;
    found_.push_back(phase);
  }
  if (!is_alone(layer)) add_phases(layer, list, on_chip);
  std::stable_sort(found_.begin(), found_.end(),
                   [](const LayerPhase& a, const LayerPhase& b) { return a.value < b.value; });
  const int length = lists_.length(list);
  std::size_t end = 0;
  for (const LayerPhase& phase : found_) {
    const auto no_worse = [&](const LayerPhase& known) {
      if (known.partial > phase.partial || known.needed > phase.needed) return false;
      for (int held = 0; held < length; ++held)
        if (known.kept[held] > phase.kept[held]) return false;
      return true;
    };
    if (std::none_of(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(end), no_worse))
      found_[end++] = phase;
  }
  return {found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace zz::core
