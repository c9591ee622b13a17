#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/fused/detail/least_costs.hpp"
#include "core/search/fused/fused_network.hpp"
#include "core/search/optimal/multiset_tables.hpp"

namespace zz::core {

/// The figure that a search makes small: the energy, a bound of the latency, or a weighted sum of both.
struct WeightedCost {
  double of_energy = 1;  ///< of a pJ
  double of_cycle = 0;   ///< 0: cycles are not counted

  bool operator==(const WeightedCost&) const = default;

  /// The cost of one layer, whose array takes `computation` cycles. No mapping with such transfers takes
  /// fewer cycles than its array, or than its busiest port (core/cost/latency.hpp).
  double of(const MultisetTables::Cost& cost, double computation) const {
    if (of_cycle == 0) return of_energy * cost.energy;
    double cycles = computation;
    for (const double busy : cost.busy) cycles = std::max(cycles, busy);
    return (of_energy > 0 ? of_energy * cost.energy : 0) + of_cycle * cycles;
  }
  /// No weighted cost of the first is above that of the second, whatever is added to both.
  bool no_dearer(const MultisetTables::Cost& a, const MultisetTables::Cost& b, std::size_t ports) const {
    if (of_energy > 0 && a.energy > b.energy) return false;
    for (std::size_t port = 0; port < ports; ++port)
      if (a.busy[port] > b.busy[port]) return false;
    return true;
  }
};

/// The most that a layer may take.
struct EnergyLimit {
  double most = std::numeric_limits<double>::infinity();  ///< pJ; infinite where cycles count
  OperandSet exchangeable;                                ///< operands that may be exchanged

  bool operator==(const EnergyLimit&) const = default;
};

/// All ways to map the tiles of a layer that are worth it, for every tile at once.
///
/// A *tile* is a multiset of loops: those that the layer does not share. A way to map it closes boundaries
/// below it; an operand is *open* when the exchange memory, the memory where tensors are exchanged and
/// kept, holds the whole tile or more of it, and so do all above. The operand may then be exchanged there,
/// kept across shared loops, or brought anew for each tile. What all other boundaries cost is a function of
/// the multisets below them, whatever is shared above, and nothing is reused across shared loops.
///
/// One label setting over the lattice of multisets, from the bottom up and without a target, gives the
/// fronts of all tiles: labels are partial mappings as in core/search/optimal, compared by what the
/// weighted cost counts, and by the *rooms* that operands take in the exchange memory and in other memories
/// that they share.
class TileSummaries {
 public:
  // In docs/limits.md.
  static constexpr std::size_t most_rooms = 5;
  using Rooms = std::array<double, most_rooms>;  ///< bits in the exchange memory, then in other memories
  static constexpr std::size_t in_exchange_memory = 0;

  /// `exchange_memory`: index into Accelerator::memories; operands that do not pass through it are never
  /// open. `second_buffers`: what is brought several times takes twice its room in memories that operands
  /// share. `limit`: what costs more is of no interest. `stop`: asked now and then; true: give up
  /// (complete() is then false).
  TileSummaries(const MultisetTables& tables, int exchange_memory, const WeightedCost& weighted,
                bool second_buffers, const EnergyLimit& limit,
                const std::function<bool(std::size_t bytes)>& stop);

  bool complete() const { return complete_; }
  int levels(int operand) const { return tables_.operands[operand].levels; }
  /// The level of the exchange memory for an operand; -1: the operand does not pass through it.
  int exchange_level(int operand) const { return exchange_level_[operand]; }
  /// The exchange memory is right below the operand's topmost memory.
  bool can_keep(int operand) const {
    return exchange_level_[operand] >= 0 && exchange_level_[operand] + 2 == levels(operand);
  }
  double buffers() const { return buffers_; }  ///< of what is brought several times
  /// The exchange memory has room by itself, and so have all other memories.
  bool fits(const Rooms& used) const {
    for (std::size_t room = 0; room < rooms_; ++room)
      if (used[room] > capacity_[room]) return false;
    return true;
  }

  struct Tile {
    MultisetTables::Cost cost;  ///< of all boundaries but those above what operands are open from
    Rooms used{};               ///< by all below these boundaries
    OperandSet open;
    bool partial = false;  ///< the output, if open, lies there as partial sums
    std::uint32_t label = 0;
  };
  /// Costs and rooms of an open operand above those of its tile.
  struct Closed {
    MultisetTables::Cost cost;
    Rooms bits{};
  };
  /// An operand that is brought: its boundaries from the exchange memory on close at the tile.
  /// `partial`: Tile::partial. `buffers`: times that what is held counts.
  Closed brought(int operand, std::size_t multiset, bool partial, double buffers) const;
  /// The front of a tile, by rising weighted cost.
  std::span<const Tile> at(std::size_t multiset) const {
    return {tiles_.data() + begin_[multiset], tiles_.data() + begin_[multiset + 1]};
  }

  /// The loops of a label, innermost first, and the cuts of all boundaries that close below all of them.
  /// Cuts that are still open are those of all its loops.
  CompactMapping trace(std::uint32_t label) const;
  std::size_t labels() const { return labels_.size(); }
  std::size_t memory_bytes() const {
    return labels_.capacity() * sizeof(Label) + tiles_.capacity() * sizeof(Tile);
  }

 private:
  /// Labels of one state are compared with each other.
  struct State {
    std::array<std::uint8_t, max_operands> closed{};  ///< boundaries, by operand
    bool partial = false;                             ///< sums go on above the last cut of the output
  };
  struct Label {
    MultisetTables::Cost cost;
    Rooms used{};
    std::uint32_t parent = 0;
    std::uint8_t kind = 0;
    State state;
  };

  void find_exchange_memory(int exchange_memory);
  void list_memories();
  void extend(std::size_t below, std::size_t kind, int operand, Label& to);
  bool is_open(int operand, int closed) const { return exchange_level_[operand] >= closed; }
  bool close(int operand, int level, std::size_t multiset, Label& to) const;
  bool fits(std::size_t multiset, const Label& label) const;
  std::size_t number_of(const State& state) const;
  void keep(const Label& label);
  void finish(std::size_t multiset, std::uint32_t index);

  const MultisetTables& tables_;
  WeightedCost weighted_;
  LeastCosts least_;
  double most_;     ///< pJ
  double buffers_;  ///< of what is brought several times
  int operands_;
  std::array<int, max_operands> exchange_level_{};
  Rooms capacity_{};
  std::size_t rooms_ = 1;
  std::array<std::array<int, max_memory_levels>, max_operands> room_{};  ///< by level; -1: of nobody else
  std::array<bool, most_rooms> above_{};  ///< above the exchange memory of some operand
  bool complete_ = true;
  std::size_t here_ = 0;  ///< the first label of the multiset at hand
  std::vector<Label> labels_;
  std::vector<std::vector<Label>> found_;  ///< of the multiset at hand, by number of the state
  std::vector<std::uint32_t> first_;       ///< label by multiset
  std::vector<Tile> tiles_;
  std::vector<std::size_t> begin_;  ///< by multiset
};

/// The tables and summaries of a layer.
struct LayerTiles {
  const MultisetTables* tables = nullptr;
  const TileSummaries* summaries = nullptr;
  int exchange_memory = -1;  ///< as the accelerator of the tables has it
};
/// A layer as it is, and where its output is moved into the exchange memory (moves_into()), if it can be
/// left there in this way only; else there are no tables. Nothing of layers of no set.
struct LayerViews {
  std::array<LayerTiles, 2> all;

  bool none() const { return own().tables == nullptr; }
  const LayerTiles& own() const { return all[0]; }
  /// As a layer has them that leaves its output in the exchange memory, or does not.
  const LayerTiles& tiles(bool leaves_output) const {
    return leaves_output && all[1].tables != nullptr ? all[1] : own();
  }
};

/// All that is known of one is known of the other. False for layers of no set.
inline bool same_tables(const LayerViews& a, const LayerViews& b) {
  return !a.none() && a.own().tables == b.own().tables;
}

}  // namespace zz::core
