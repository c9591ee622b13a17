#include "core/search/fused/detail/tile_summaries.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {
namespace {

constexpr int alone = -1;  ///< an operand, in its memory

}  // namespace

TileSummaries::TileSummaries(const MultisetTables& tables, int exchange_memory,
                             const WeightedCost& weighted, bool second_buffers, const EnergyLimit& limit,
                             const std::function<bool(std::size_t)>& stop)
    : tables_(tables),
      weighted_(weighted),
      least_(tables, exchange_memory, limit.exchangeable),
      most_(limit.most),
      buffers_(second_buffers ? 2 : 1),
      operands_(static_cast<int>(tables.operands.size())) {
  find_exchange_memory(exchange_memory);
  list_memories();
  State last{{}, true};
  for (int operand = 0; operand < operands_; ++operand)
    last.closed[operand] = static_cast<std::uint8_t>(tables.operands[operand].levels);
  found_.resize(number_of(last) + 1);
  begin_.push_back(0);
  for (std::size_t multiset = 0; multiset < tables.size; ++multiset) {
    here_ = labels_.size();
    first_.push_back(static_cast<std::uint32_t>(here_));
    if (!complete_ || ((multiset & 0xff) == 0 && stop(memory_bytes()))) complete_ = false;
    if (complete_) {
      for (std::vector<Label>& of_state : found_) of_state.clear();
      if (multiset == 0) {
        Label root;
        root.cost.energy = tables.operations;
        root.state.partial = tables.partial_matters && tables.sums_above[0];
        if (fits(0, root)) keep(root);
      }
      for (std::size_t kind = 0; kind < tables.kinds.size(); ++kind) {
        if (tables.count(multiset, tables.kinds[kind]) == 0) continue;
        const std::size_t below = multiset - tables.kinds[kind].stride;
        const std::size_t end = below + 1 < first_.size() ? first_[below + 1] : here_;
        for (std::size_t label = first_[below]; label < end; ++label) {
          Label to = labels_[label];
          to.parent = static_cast<std::uint32_t>(label);
          to.kind = static_cast<std::uint8_t>(kind);
          extend(below, kind, 0, to);
        }
      }
      for (const std::vector<Label>& of_state : found_)
        labels_.insert(labels_.end(), of_state.begin(), of_state.end());
      if (labels_.size() > std::numeric_limits<std::uint32_t>::max() / 2) complete_ = false;
      for (std::size_t label = here_; label < labels_.size(); ++label)
        finish(multiset, static_cast<std::uint32_t>(label));
      std::stable_sort(tiles_.begin() + static_cast<std::ptrdiff_t>(begin_.back()), tiles_.end(),
                       [&](const Tile& a, const Tile& b) {
                         return weighted_.of(a.cost, tables_.computation) <
                                weighted_.of(b.cost, tables_.computation);
                       });
    }
    begin_.push_back(tiles_.size());
  }
}

void TileSummaries::find_exchange_memory(int exchange_memory) {
  exchange_level_.fill(-1);
  for (auto& levels : room_) levels.fill(alone);
  for (int operand = 0; operand < operands_; ++operand) {
    const auto& of = tables_.operands[operand];
    for (int level = 0; level + 1 < of.levels; ++level) {
      if (of.memory[level] != exchange_memory) continue;
      exchange_level_[operand] = level;
      room_[operand][level] = static_cast<int>(in_exchange_memory);
      capacity_[in_exchange_memory] = of.capacity[level];
    }
  }
}

/// Other memories below the topmost ones that operands share and that cannot hold all of them whole.
void TileSummaries::list_memories() {
  std::array<int, max_memory_levels * max_operands> seen{};
  std::size_t count = 0;
  for (int operand = 0; operand < operands_; ++operand) {
    for (int level = 0; level + 1 < tables_.operands[operand].levels; ++level) {
      const int memory = tables_.operands[operand].memory[level];
      if (room_[operand][level] != alone) continue;
      if (std::find(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(count), memory) !=
          seen.begin() + static_cast<std::ptrdiff_t>(count))
        continue;
      seen[count++] = memory;
      double whole = 0;
      int holders = 0;
      for (int other = 0; other < operands_; ++other) {
        for (int at = 0; at + 1 < tables_.operands[other].levels; ++at) {
          if (tables_.operands[other].memory[at] != memory) continue;
          ++holders;
          whole += tables_.bits(other, at, tables_.size - 1, true);
        }
      }
      const double capacity = tables_.operands[operand].capacity[level];
      if (holders < 2 || whole <= capacity) continue;
      if (rooms_ == most_rooms)
        throw InputError(
            fmt::format("operands share more than {} memories besides those where tensors "
                        "are exchanged: too many to fuse layers",
                        most_rooms - 1));
      for (int other = 0; other < operands_; ++other) {
        for (int at = 0; at + 1 < tables_.operands[other].levels; ++at) {
          if (tables_.operands[other].memory[at] != memory) continue;
          room_[other][at] = static_cast<int>(rooms_);
          if (is_open(other, 0) && exchange_level_[other] < at) above_[rooms_] = true;
        }
      }
      capacity_[rooms_++] = capacity;
    }
  }
}

/// The operand's memory `level` holds the loops of `multiset` and no more. False: it is too small.
bool TileSummaries::close(int operand, int level, std::size_t multiset, Label& to) const {
  const auto& of = tables_.operands[operand];
  const double bits = tables_.bits(operand, level, multiset, operand == 0 && to.state.partial);
  if (bits > of.capacity[level]) return false;
  const int room = room_[operand][level];
  if (room != alone) {
    to.used[room] += buffers_ * bits;
    if (to.used[room] > capacity_[room]) return false;
  }
  tables_.add(to.cost, operand, level + 1, multiset);
  to.state.closed[operand] = static_cast<std::uint8_t>(level + 1);
  if (operand == 0) to.state.partial = tables_.partial_matters && tables_.sums_above[multiset];
  return to.cost.energy < std::numeric_limits<double>::infinity();
}

/// Tries every way in which operands from `operand` on may close boundaries before a loop is added.
void TileSummaries::extend(std::size_t below, std::size_t kind, int operand, Label& to) {
  if (operand == operands_) {
    if (fits(below + tables_.kinds[kind].stride, to)) keep(to);
    return;
  }
  const auto& of = tables_.operands[operand];
  if (!of.relevant[kind]) {
    extend(below, kind, operand + 1, to);
    return;
  }
  const Label before = to;
  if (of.all_irrelevant[below]) tables_.add(to.cost, operand, 0, below);
  extend(below, kind, operand + 1, to);
  for (int level = to.state.closed[operand]; level + 1 < of.levels; ++level) {
    if (!close(operand, level, below, to)) break;
    extend(below, kind, operand + 1, to);
  }
  to = before;
}

/// The label has a chance, with what open boundaries hold and cost at least.
bool TileSummaries::fits(std::size_t multiset, const Label& label) const {
  if (most_ < infinite) {
    double energy = label.cost.energy;
    for (int operand = 0; operand < operands_; ++operand) {
      if (tables_.operands[operand].all_irrelevant[multiset]) energy += least_.units(operand);
      energy += least_.rest(operand, label.state.closed[operand]);
    }
    if (energy > most_) return false;
  }
  Rooms used = label.used;
  for (int operand = 0; operand < operands_; ++operand) {
    const int level = label.state.closed[operand];
    if (level + 1 >= tables_.operands[operand].levels) continue;
    if (tables_.bits(operand, level, multiset, false) > tables_.operands[operand].capacity[level])
      return false;
    // An exchanged operand passes no memory above the exchange memory.
    const int end =
        is_open(operand, level) ? exchange_level_[operand] + 1 : tables_.operands[operand].levels - 1;
    for (int open = level; open < end; ++open)
      if (const int room = room_[operand][open]; room != alone)
        used[room] += tables_.bits(operand, open, multiset, false);
  }
  return fits(used);
}

std::size_t TileSummaries::number_of(const State& state) const {
  std::size_t number = state.partial ? 1 : 0;
  for (int operand = 0; operand < operands_; ++operand)
    number =
        number * (static_cast<std::size_t>(tables_.operands[operand].levels) + 1) + state.closed[operand];
  return number;
}

/// Adds a label to those of the multiset at hand, unless another one is no worse in anything.
void TileSummaries::keep(const Label& label) {
  const auto no_worse = [&](const Label& a, const Label& b) {
    for (std::size_t room = 0; room < rooms_; ++room)
      if (a.used[room] > b.used[room]) return false;
    return weighted_.no_dearer(a.cost, b.cost, tables_.ports);
  };
  std::vector<Label>& found = found_[number_of(label.state)];
  for (const Label& known : found)
    if (no_worse(known, label)) return;
  std::erase_if(found, [&](const Label& known) { return no_worse(label, known); });
  found.push_back(label);
}

/// The tile ends here: boundaries that are still open close, those above the exchange memory aside.
void TileSummaries::finish(std::size_t multiset, std::uint32_t index) {
  Label to = labels_[index];
  Tile tile;
  for (int operand = 0; operand < operands_; ++operand) {
    const auto& of = tables_.operands[operand];
    if (of.all_irrelevant[multiset]) tables_.add(to.cost, operand, 0, multiset);
    const bool open = is_open(operand, to.state.closed[operand]);
    const int end = open ? exchange_level_[operand] : of.levels - 1;
    for (int level = to.state.closed[operand]; level < end; ++level)
      if (!close(operand, level, multiset, to)) return;
    if (open) tile.open.add(operand);
    if (open && operand == 0) tile.partial = to.state.partial;
  }
  if (!(to.cost.energy < std::numeric_limits<double>::infinity())) return;
  tile.cost = to.cost;
  for (std::size_t room = 0; room < rooms_; ++room)
    if (room == in_exchange_memory || above_[room]) tile.used[room] = to.used[room];
  tile.label = index;
  const auto no_worse = [&](const Tile& a, const Tile& b) {
    if (a.open != b.open || a.partial > b.partial) return false;
    for (std::size_t room = 0; room < rooms_; ++room)
      if (a.used[room] > b.used[room]) return false;
    return weighted_.no_dearer(a.cost, b.cost, tables_.ports);
  };
  const auto begin = tiles_.begin() + static_cast<std::ptrdiff_t>(begin_.back());
  if (std::any_of(begin, tiles_.end(), [&](const Tile& known) { return no_worse(known, tile); })) return;
  tiles_.erase(
      std::remove_if(begin, tiles_.end(), [&](const Tile& known) { return no_worse(tile, known); }),
      tiles_.end());
  tiles_.push_back(tile);
}

TileSummaries::Closed TileSummaries::brought(int operand, std::size_t multiset, bool partial,
                                             double buffers) const {
  Closed found;
  for (int at = exchange_level_[operand]; at + 1 < levels(operand); ++at) {
    const double bits = tables_.bits(operand, at, multiset, partial);
    if (const int room = room_[operand][at]; room != alone) found.bits[room] += buffers * bits;
    tables_.add(found.cost, operand, at + 1, multiset);
    if (bits > tables_.operands[operand].capacity[at]) found.cost.energy = infinite;
    partial = operand == 0 && tables_.partial_matters && tables_.sums_above[multiset];
  }
  return found;
}

CompactMapping TileSummaries::trace(std::uint32_t label) const {
  std::vector<std::uint32_t> path;
  const std::uint32_t roots = first_.size() > 1 ? first_[1] : label + 1;  // labels without loops come first
  for (std::uint32_t at = label; at >= roots; at = labels_[at].parent) path.push_back(at);
  CompactMapping mapping;
  mapping.loops = static_cast<int>(path.size());
  for (auto& cuts : mapping.stationary) cuts.fill(static_cast<std::uint8_t>(path.size()));
  for (std::size_t i = path.size(); i-- > 0;) {
    const Label& of = labels_[path[i]];
    const std::size_t position = path.size() - 1 - i;
    mapping.dimension[position] = static_cast<std::uint8_t>(tables_.kinds[of.kind].dimension);
    mapping.size[position] = tables_.kinds[of.kind].size;
    for (int operand = 0; operand < operands_; ++operand)
      for (int level = labels_[of.parent].state.closed[operand]; level < of.state.closed[operand]; ++level)
        mapping.stationary[operand][level] = static_cast<std::uint8_t>(position);
  }
  mapping.allocated = mapping.stationary;
  return mapping;
}

}  // namespace zz::core
