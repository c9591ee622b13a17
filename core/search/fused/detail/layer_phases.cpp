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

/// What may become of an operand that is open.
struct LayerPhases::Choice {
  FusedOperand operand;
  MultisetTables::Cost cost;
  Rooms bits{};
  int home = -1;         ///< of what is kept
  bool partial = false;  ///< of what is exchanged
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
    std::array<double, OperandHomes::count>& bounds = bounds_.emplace_back();
    bounds.fill(infinite);
    const bool as_it_was = is_alone(static_cast<int>(layer)) || network.layers[layer].is_enlarged();
    const auto same = [&](std::size_t earlier) {
      return !as_it_was && !network.layers[earlier].is_enlarged() &&
             same_tables(layers[earlier], layers[layer]);
    };
    std::size_t earlier = 0;
    while (earlier < layer && !same(earlier)) ++earlier;
    if (earlier < layer) {
      bounds = bounds_[earlier];
      continue;
    }
    if (as_it_was) bounds[0] = alone(network.layers[layer], true);
    for (const LayerViews& views : layers[layer])
      for (const LayerTiles& tiles : views.all)
        if (tiles.tables != nullptr) bound_layer(layer, views, tiles, bounds);
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
                              std::array<double, OperandHomes::count>& bounds) const {
  const MultisetTables& tables = *tiles.tables;
  const TileSummaries& summaries = *tiles.summaries;
  const std::size_t full = tables.size - 1;
  const int operands = static_cast<int>(tables.operands.size());
  std::vector<OperandHomes> all;  // that are seen so
  for (std::size_t number = 0; number < OperandHomes::count; ++number) {
    const OperandHomes on_chip(number);
    bool possible = &views.tiles(on_chip.home(0)) == &tiles;
    for (int operand = 0; operand < max_operands; ++operand)
      if (const int home = on_chip.home(operand); home >= 0)
        possible =
            possible && home < homes() && operand < operands && summaries.home_level(operand, home) >= 0;
    if (possible) all.push_back(on_chip);
  }
  // The least that an operand takes, by the home that it is open from and the one where it is exchanged.
  std::array<std::array<std::array<TileSummaries::Closed, most_homes + 1>, most_homes>, max_operands> least;
  for (std::size_t tile = 0; tile < tables.size; ++tile) {
    if (summaries.at(tile).empty()) continue;
    for (int operand = 0; operand < operands; ++operand) {
      for (int open = 0; open < homes(); ++open) {
        const int from = summaries.home_level(operand, open);
        if (from < 0) continue;
        TileSummaries::Closed& brought = least[operand][open][0];
        brought = summaries.closed(operand, open, summaries.levels(operand) - 1, tile, false, 1);
        if (const int home = summaries.kept_in(operand); home >= 0) {
          const int level = summaries.home_level(operand, home);
          TileSummaries::Closed kept = summaries.closed(operand, open, level, tile, false, 1);
          tables.add(kept.cost, operand, level + 1, full);
          brought.cost = least_of(brought.cost, kept.cost);
        }
        for (int home = 0; home < homes(); ++home) {
          const int level = summaries.home_level(operand, home);
          if (level < from) continue;
          TileSummaries::Closed& exchanged = least[operand][open][home + 1];
          exchanged = summaries.closed(operand, open, level, tile, false, 1);
          exchanged.bits[static_cast<std::size_t>(home)] += tables.bits(operand, level, tile, false);
        }
      }
    }
    for (const TileSummaries::Tile& way : summaries.at(tile)) {
      for (const OperandHomes on_chip : all) {
        if (!summaries.may_exchange(way, on_chip)) continue;
        MultisetTables::Cost cost = way.cost;
        std::array<const TileSummaries::Closed*, max_operands> takes{};
        for (int operand = 0; operand < operands; ++operand) {
          const int open = way.open.home(operand);
          if (open < 0) continue;
          takes[operand] = &least[operand][open][on_chip.home(operand) + 1];
          cost += takes[operand]->cost;
        }
        const double price = prices_.price.of(cost, floors_[layer][on_chip.number()]);
        if (!(price < bounds[on_chip.number()])) continue;
        Rooms used = way.used;
        for (const TileSummaries::Closed* of : takes)
          for (std::size_t room = 0; room < used.size() && of != nullptr; ++room)
            used[room] += of->bits[room];
        if (summaries.fits(used)) bounds[on_chip.number()] = price;
      }
    }
  }
}

double LayerPhases::tensor_bits(int tensor, int list, int depth, int home) {
  const int producer = network_.tensors[static_cast<std::size_t>(tensor)].producer;
  const Layer& layer = *network_.layers[static_cast<std::size_t>(producer)].layer;
  // The lowest memory of an output holds sums whenever its layer runs, and finished elements afterwards.
  return made_bits(producer, list, depth, home, true) * static_cast<double>(layer.final_output_precision) /
         static_cast<double>(layer.operands.front().precision);
}

double LayerPhases::made_bits(int layer, int list, int depth, int home, bool partial) {
  // Whatever the unrolling, the tile has the same elements.
  const int above = lists_.prefix(list, depth), unrolling = lists_.unrolling(layer, above);
  const std::size_t tile = lists_.tile(layer, unrolling, above);
  const LayerTiles& tiles =
      layers_[static_cast<std::size_t>(layer)][static_cast<std::size_t>(unrolling)].tiles(home);
  return tiles.tables->bits(0, tiles.summaries->home_level(0, home), tile, partial);
}

const std::vector<LayerPhase>& LayerPhases::at(int layer, int list, OperandHomes on_chip) {
  const auto [entry, fresh] = known_[static_cast<std::size_t>(layer)].try_emplace(
      static_cast<std::uint64_t>(list) * OperandHomes::count + on_chip.number(), std::vector<LayerPhase>());
  if (fresh) entry->second = made(layer, list, on_chip);
  return entry->second;
}

/// Of an operand that is open from a home on; `exchanged`: in which home it is, -1: in none.
std::vector<LayerPhases::Choice> LayerPhases::choices(int layer, int unrolling, const LayerTiles& tiles,
                                                      int list, int operand, int open, bool partial,
                                                      int exchanged) {
  const MultisetTables& tables = *tiles.tables;
  const TileSummaries& summaries = *tiles.summaries;
  const std::size_t tile = lists_.tile(layer, unrolling, list);
  const int length = lists_.length(list);
  const double buffers = length > 0 ? summaries.buffers() : 1;
  const auto closed_below = [&](int level) {
    const TileSummaries::Closed closed = summaries.closed(operand, open, level, tile, partial, buffers);
    return Choice{{}, closed.cost, closed.bits, -1, closed.partial};
  };
  std::vector<Choice> found;
  if (exchanged >= 0) {
    found.push_back(closed_below(summaries.home_level(operand, exchanged)));
    found.back().operand = {FusedOperand::Place::exchanged, 0,
                            prices_.homes[static_cast<std::size_t>(exchanged)]};
    return found;
  }
  found.push_back(closed_below(summaries.levels(operand) - 1));
  const int home = summaries.kept_in(operand);
  if (!prices_.keep || home < 0) return found;
  const int level = summaries.home_level(operand, home);
  const Choice below = closed_below(level);
  for (int depth = length; depth-- > 0;) {
    const std::size_t portion = lists_.tile(layer, unrolling, lists_.prefix(list, depth));
    Choice kept = below;
    kept.operand = {FusedOperand::Place::kept, depth, prices_.homes[static_cast<std::size_t>(home)]};
    kept.home = home;
    kept.bits[static_cast<std::size_t>(home)] += tables.bits(operand, level, portion, below.partial);
    tables.add(kept.cost, operand, level + 1, portion);
    if (summaries.fits(kept.bits) && !prices_.price.no_dearer(found.back().cost, kept.cost, tables.ports))
      found.push_back(kept);
  }
  return found;
}

/// Adds the ways to map a layer with one unrolling.
void LayerPhases::add_phases(int layer, int unrolling, int list, OperandHomes on_chip) {
  const auto at = static_cast<std::size_t>(layer);
  const std::size_t tile = lists_.tile(layer, unrolling, list);
  if (tile == SharedLists::none) return;
  const LayerTiles& tiles = layers_[at][static_cast<std::size_t>(unrolling)].tiles(on_chip.home(0));
  const TileSummaries& summaries = *tiles.summaries;
  const int operands = static_cast<int>(tiles.tables->operands.size());
  Choices choices;
  for (int operand = 0; operand < operands; ++operand)
    for (int open = 0; open < homes(); ++open)
      for (const bool partial : {false, true})
        if (summaries.home_level(operand, open) >= 0 && (operand == 0 || !partial))
          choices[operand][open][partial ? 1 : 0] =
              this->choices(layer, unrolling, tiles, list, operand, open, partial, on_chip.home(operand));
  using Cost = MultisetTables::Cost;
  const std::function<void(const TileSummaries::Tile&, int, LayerPhase&, const Cost&, const Rooms&)>
      choose = [&](const TileSummaries::Tile& way, int operand, LayerPhase& phase, const Cost& cost,
                   const Rooms& used) {
        if (!summaries.fits(used) || !(cost.energy < infinite)) return;
        if (operand == operands) {
          phase.value = prices_.price.of(cost, floors_[at][on_chip.number()]);
          std::copy_n(used.begin(), homes(), phase.needed.begin());
          found_.push_back(phase);
          return;
        }
        const int open = way.open.home(operand);
        if (open < 0) {
          choose(way, operand + 1, phase, cost, used);
          return;
        }
        for (const Choice& choice : choices[operand][open][operand == 0 && way.partial ? 1 : 0]) {
          phase.operands[operand] = choice.operand;
          if (operand == 0) phase.partial = choice.partial && on_chip.home(operand) >= 0;
          Cost with = cost;
          with += choice.cost;
          Rooms taken = used;
          for (std::size_t room = 0; room < taken.size(); ++room) taken[room] += choice.bits[room];
          if (choice.home < 0) {
            choose(way, operand + 1, phase, with, taken);
            continue;
          }
          double& kept = phase.kept[static_cast<std::size_t>(choice.operand.depth * homes() + choice.home)];
          const double before = kept;
          kept += choice.bits[static_cast<std::size_t>(choice.home)];
          choose(way, operand + 1, phase, with, taken);
          kept = before;
        }
        phase.operands[operand] = {};
      };
  for (const TileSummaries::Tile& way : summaries.at(tile)) {
    if (!summaries.may_exchange(way, on_chip)) continue;
    LayerPhase phase;
    phase.unrolling = unrolling;
    phase.label = way.label;
    choose(way, 0, phase, way.cost, way.used);
  }
}

std::vector<LayerPhase> LayerPhases::made(int layer, int list, OperandHomes on_chip) {
  const auto at = static_cast<std::size_t>(layer);
  const bool nothing = list == 0 && on_chip.number() == 0;  // is shared or exchanged
  found_.clear();
  if (nothing && (is_alone(layer) || network_.layers[at].is_enlarged())) {
    // As it was, and with nothing beside it in the homes.
    LayerPhase phase;
    phase.value = alone(network_.layers[at], false);
    std::copy(prices_.capacity.begin(), prices_.capacity.end(), phase.needed.begin());
    phase.as_it_was = true;
    found_.push_back(phase);
  }
  for (int unrolling = 0; unrolling < static_cast<int>(layers_[at].size()); ++unrolling)
    add_phases(layer, unrolling, list, on_chip);
  std::stable_sort(found_.begin(), found_.end(),
                   [](const LayerPhase& a, const LayerPhase& b) { return a.value < b.value; });
  const int length = lists_.length(list);
  std::size_t end = 0;
  for (const LayerPhase& phase : found_) {
    const auto no_worse = [&](const LayerPhase& known) {
      if (known.partial > phase.partial) return false;
      for (int home = 0; home < homes(); ++home)
        if (known.needed[home] > phase.needed[home]) return false;
      for (int held = 0; held < length * homes(); ++held)
        if (known.kept[held] > phase.kept[held]) return false;
      return true;
    };
    if (std::none_of(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(end), no_worse))
      found_[end++] = phase;
  }
  return {found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace zz::core
