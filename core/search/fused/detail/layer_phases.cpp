#include "core/search/fused/detail/layer_phases.hpp"

#include <algorithm>
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

/// What may become of an operand that is not exchanged.
struct LayerPhases::Choice {
  FusedOperand operand;
  MultisetTables::Cost cost;
  double bits = 0;
};

LayerPhases::LayerPhases(const FusedNetwork& network, const std::vector<LayerMenu>& layers,
                         const JoinPrices& prices, const std::vector<LatencyFloors>& floors,
                         SharedLists& lists)
    : network_(network),
      layers_(layers),
      prices_(prices),
      floors_(floors),
      lists_(lists),
      known_(network.layers.size()) {
  for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
    std::array<double, 8>& bounds = bounds_.emplace_back();
    bounds.fill(infinite);
    const bool in_no_set = is_alone(static_cast<int>(layer));
    const auto same = [&](std::size_t earlier) {
      return !in_no_set && !layers[earlier].empty() &&
             layers[earlier].front().own.summaries == layers[layer].front().own.summaries;
    };
    std::size_t earlier = 0;
    while (earlier < layer && !same(earlier)) ++earlier;
    if (earlier < layer) {
      bounds = bounds_[earlier];
      continue;
    }
    if (in_no_set || network.layers[layer].is_enlarged()) bounds[0] = alone(network.layers[layer], true);
    for (const LayerViews& views : layers[layer]) {
      bound_layer(layer, views, views.own, bounds);
      if (views.moved.tables != nullptr) bound_layer(layer, views, views.moved, bounds);
    }
  }
}

/// The price of a layer's own mapping, or a bound of it.
double LayerPhases::alone(const UnrolledLayer& layer, bool bound) const {
  const FusedPrice& price = prices_.price;
  const double value = (price.of_energy > 0 ? price.of_energy * layer.energy : 0) +
                       (price.of_cycle > 0 ? price.of_cycle * layer.latency : 0);
  const bool is_objective = (prices_.objective == Objective::energy && price.of_cycle == 0) ||
                            (prices_.objective == Objective::latency && price.of_energy == 0);
  return bound && is_objective && layer.unfused > 0 ? value * (layer.unfused_bound / layer.unfused) : value;
}

void LayerPhases::bound_layer(std::size_t layer, const LayerViews& views, const LayerTiles& tiles,
                              std::array<double, 8>& bounds) const {
  const MultisetTables& tables = *tiles.tables;
  const TileSummaries& summaries = *tiles.summaries;
  const std::size_t full = tables.size - 1;
  const int operands = static_cast<int>(tables.operands.size());
  for (std::size_t tile = 0; tile < tables.size; ++tile) {
    std::array<double, max_operands> bits{};
    std::array<MultisetTables::Cost, max_operands> rest{};
    for (int operand = 0; operand < operands; ++operand) {
      const int home = summaries.home_level(operand);
      if (home < 0) continue;
      bits[operand] = tables.bits(operand, home, tile, false);
      for (int above = home + 1; above < tables.operands[operand].levels; ++above)
        tables.add(rest[operand], operand, above, tile);
      if (!summaries.can_be_kept(operand)) continue;
      MultisetTables::Cost kept;
      tables.add(kept, operand, home + 1, full);
      rest[operand] = least_of(rest[operand], kept);
    }
    for (const TileSummaries::Tile& way : summaries.at(tile)) {
      double room = way.room;
      for (int operand = 0; operand < operands; ++operand)
        if (way.open & bit_of(operand)) room += bits[operand];
      if (room > prices_.capacity) continue;
      for (unsigned on_chip = 0; on_chip < bounds.size(); ++on_chip) {
        if ((way.open & on_chip) != on_chip) continue;
        if (&views.tiles((on_chip & bit_of(0)) != 0) != &tiles) continue;
        MultisetTables::Cost cost = way.cost;
        for (int operand = 0; operand < operands; ++operand)
          if ((way.open & bit_of(operand)) && !(on_chip & bit_of(operand))) cost += rest[operand];
        bounds[on_chip] = std::min(bounds[on_chip], prices_.price.of(cost, floors_[layer][on_chip]));
      }
    }
  }
}

double LayerPhases::tensor_bits(int tensor, int list, int depth) {
  const int producer = network_.tensors[static_cast<std::size_t>(tensor)].producer;
  const Layer& layer = *network_.layers[static_cast<std::size_t>(producer)].layer;
  // The lowest memory of an output holds sums whenever its layer runs, and finished elements afterwards.
  return made_bits(producer, list, depth, true) * static_cast<double>(layer.final_output_precision) /
         static_cast<double>(layer.operands.front().precision);
}

double LayerPhases::made_bits(int layer, int list, int depth, bool partial) {
  // Whatever the unrolling, the tile has the same elements.
  const int above = lists_.prefix(list, depth), unrolling = lists_.unrolling(layer, above);
  const std::size_t tile = lists_.tile(layer, unrolling, above);
  constexpr bool output_exchanged = true;
  const LayerTiles& tiles =
      layers_[static_cast<std::size_t>(layer)][static_cast<std::size_t>(unrolling)].tiles(output_exchanged);
  return tiles.tables->bits(0, tiles.summaries->home_level(0), tile, partial);
}

const std::vector<LayerPhase>& LayerPhases::at(int layer, int list, unsigned on_chip) {
  const auto [entry, fresh] = known_[static_cast<std::size_t>(layer)].try_emplace(
      static_cast<std::uint64_t>(list) * 8 + on_chip, std::vector<LayerPhase>());
  if (fresh) entry->second = made(layer, list, on_chip);
  return entry->second;
}

/// By operand, and for the output by whether it lies there as partial sums.
LayerPhases::Choices LayerPhases::choices(int layer, int unrolling, const LayerTiles& tiles, int list,
                                          unsigned on_chip) {
  const MultisetTables& tables = *tiles.tables;
  const TileSummaries& summaries = *tiles.summaries;
  const std::size_t tile = lists_.tile(layer, unrolling, list);
  const int length = lists_.length(list);
  Choices choices;
  for (int operand = 0; operand < static_cast<int>(tables.operands.size()); ++operand) {
    const int home = summaries.home_level(operand);
    if (home < 0 || (on_chip & bit_of(operand))) continue;
    for (const bool partial : {false, true}) {
      if (partial && operand > 0) continue;
      std::vector<Choice>& of = choices[operand][partial ? 1 : 0];
      const double buffers = length > 0 ? summaries.buffers() : 1;
      Choice brought{{}, {}, buffers * tables.bits(operand, home, tile, partial)};
      for (int above = home + 1; above < tables.operands[operand].levels; ++above)
        tables.add(brought.cost, operand, above, tile);
      of.push_back(brought);
      if (!prices_.keep || !summaries.can_be_kept(operand)) continue;
      for (int depth = length; depth-- > 0;) {
        const std::size_t below = lists_.tile(layer, unrolling, lists_.prefix(list, depth));
        Choice kept{{FusedOperand::Place::kept, depth}, {}, tables.bits(operand, home, below, partial)};
        tables.add(kept.cost, operand, home + 1, below);
        if (kept.bits <= prices_.capacity &&
            !prices_.price.no_dearer(of.back().cost, kept.cost, tables.ports))
          of.push_back(kept);
      }
    }
  }
  return choices;
}

/// Adds the ways to map a layer with one unrolling.
void LayerPhases::add_phases(int layer, int unrolling, int list, unsigned on_chip,
                             std::vector<LayerPhase>& found) {
  const auto at = static_cast<std::size_t>(layer);
  const std::size_t tile = lists_.tile(layer, unrolling, list);
  if (tile == SharedLists::none) return;
  const LayerTiles& tiles =
      layers_[at][static_cast<std::size_t>(unrolling)].tiles((on_chip & bit_of(0)) != 0);
  const int operands = static_cast<int>(tiles.tables->operands.size());
  const Choices choices = this->choices(layer, unrolling, tiles, list, on_chip);
  const std::function<void(const TileSummaries::Tile&, int, LayerPhase&)> choose =
      [&](const TileSummaries::Tile& way, int operand, LayerPhase& phase) {
        if (phase.needed > prices_.capacity || !(phase.cost.energy < infinite)) return;
        if (operand == operands) {
          phase.value = prices_.price.of(phase.cost, floors_[at][on_chip]);
          found.push_back(phase);
          return;
        }
        if (on_chip & bit_of(operand)) {
          phase.operands[operand].place = FusedOperand::Place::exchanged;
          choose(way, operand + 1, phase);
          return;
        }
        if (!(way.open & bit_of(operand))) {
          choose(way, operand + 1, phase);
          return;
        }
        const LayerPhase before = phase;
        for (const Choice& choice : choices[operand][operand == 0 && way.partial ? 1 : 0]) {
          phase.operands[operand] = choice.operand;
          phase.cost += choice.cost;
          phase.needed += choice.bits;
          if (choice.operand.place == FusedOperand::Place::kept)
            phase.kept[choice.operand.depth] += choice.bits;
          else
            phase.room += choice.bits;
          choose(way, operand + 1, phase);
          phase = before;
        }
      };
  for (const TileSummaries::Tile& way : tiles.summaries->at(tile)) {
    if ((way.open & on_chip) != on_chip) continue;
    LayerPhase phase;
    phase.cost = way.cost;
    phase.room = phase.needed = way.room;
    phase.partial = way.partial && (on_chip & bit_of(0));
    phase.unrolling = unrolling;
    phase.label = way.label;
    choose(way, 0, phase);
  }
}

std::vector<LayerPhase> LayerPhases::made(int layer, int list, unsigned on_chip) {
  const auto at = static_cast<std::size_t>(layer);
  std::vector<LayerPhase> found;
  if (is_alone(layer)) {
    LayerPhase phase;
    phase.value = alone(network_.layers[at], false);
    if (list == 0 && on_chip == 0) found.push_back(phase);
    return found;
  }
  if (network_.layers[at].is_enlarged() && list == 0 && on_chip == 0) {
    // As it was, and with nothing beside it in the home.
    LayerPhase phase;
    phase.value = alone(network_.layers[at], false);
    phase.room = phase.needed = prices_.capacity;
    phase.as_it_was = true;
    found.push_back(phase);
  }
  for (int unrolling = 0; unrolling < static_cast<int>(layers_[at].size()); ++unrolling)
    add_phases(layer, unrolling, list, on_chip, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const LayerPhase& a, const LayerPhase& b) { return a.value < b.value; });
  const int length = lists_.length(list);
  std::size_t end = 0;
  for (const LayerPhase& phase : found) {
    const auto no_worse = [&](const LayerPhase& known) {
      if (known.needed > phase.needed || known.partial > phase.partial) return false;
      for (int depth = 0; depth < length; ++depth)
        if (known.kept[depth] > phase.kept[depth]) return false;
      return true;
    };
    if (std::none_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(end), no_worse))
      found[end++] = phase;
  }
  found.resize(end);
  return found;
}

}  // namespace zz::core
