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

/// What a search makes small: the energy, a bound of the latency, or a weighted sum of both.
struct FusedPrice {
  double of_energy = 1;  ///< of a pJ
  double of_cycle = 0;   ///< 0: cycles are not counted

  bool operator==(const FusedPrice&) const = default;

  /// Of one layer, whose array takes `computation` cycles. No mapping with such transfers takes fewer
  /// cycles than its array, or than its busiest port (core/cost/latency.hpp).
  double of(const MultisetTables::Cost& cost, double computation) const {
    if (of_cycle == 0) return of_energy * cost.energy;
    double cycles = computation;
    for (const double busy : cost.busy) cycles = std::max(cycles, busy);
    return (of_energy > 0 ? of_energy * cost.energy : 0) + of_cycle * cycles;
  }
  /// No price of the first is above that of the second, whatever is added to both.
  bool no_dearer(const MultisetTables::Cost& a, const MultisetTables::Cost& b, std::size_t ports) const {
    if (of_energy > 0 && a.energy > b.energy) return false;
    for (std::size_t port = 0; port < ports; ++port)
      if (a.busy[port] > b.busy[port]) return false;
    return true;
  }
};

/// What a layer may take at most.
struct EnergyLimit {
  double most = std::numeric_limits<double>::infinity();  ///< pJ; infinite where cycles count
  unsigned exchangeable = 0;                              ///< operands that may be exchanged, one bit each

  bool operator==(const EnergyLimit&) const = default;
};

/// All ways to map the tiles of a layer that are worth it, for every tile at once.
///
/// A *tile* is a multiset of loops: those that the layer does not share. A way to map it closes boundaries
/// below it; an operand is *open* when the home memory, where tensors are exchanged and kept, holds the
/// whole tile or more of it. The operand may then be exchanged, kept across shared loops, or brought anew
/// for each tile. What all other boundaries cost is a function of the multisets below them, whatever is
/// shared above, and nothing is reused across shared loops.
///
/// One label setting over the lattice of multisets, from the bottom up and without a target, gives the
/// fronts of all tiles: labels are partial mappings as in core/search/optimal, compared by what the price
/// counts, by the room that operands take in the home memory, and by that in other memories that they
/// share.
class TileSummaries {
 public:
  /// `home`: index into Accelerator::memories; operands that do not pass through it are never open.
  /// `second_buffers`: what is brought several times takes twice its room in memories that operands share.
  /// `stop`: asked now and then; true: give up (complete() is then false).
  /// `limit`: what costs more is of no interest.
  TileSummaries(const MultisetTables& tables, int home, const FusedPrice& price, bool second_buffers,
                const EnergyLimit& limit, const std::function<bool(std::size_t bytes)>& stop);

  bool complete() const { return complete_; }
  int levels(int operand) const { return tables_.operands[operand].levels; }
  /// The level of the home memory for an operand; -1: the operand cannot be open.
  int home_level(int operand) const { return home_level_[operand]; }
  /// The home memory lies right below the topmost one, so that the operand can be kept there.
  bool can_be_kept(int operand) const { return kept_[operand]; }
  double buffers() const { return buffers_; }  ///< of what is brought several times
  double home_capacity() const { return home_capacity_; }

  struct Tile {
    MultisetTables::Cost cost;  ///< of all boundaries but those above the home memory of open operands
    double room = 0;            ///< bits that closed operands take in the home memory
    std::uint8_t open = 0;      ///< bit by operand
    bool partial = false;       ///< the output, if open, lies in the home memory as partial sums
    std::uint32_t label = 0;
  };
  /// The front of a tile, by rising price.
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
  // In docs/limits.md.
  static constexpr std::size_t most_shared = 3;
  /// Labels of one state are compared with each other.
  struct State {
    std::array<std::uint8_t, max_operands> closed{};  ///< boundaries, by operand
    bool partial = false;                             ///< sums go on above the last cut of the output
  };
  struct Label {
    MultisetTables::Cost cost;
    double room = 0;
    std::array<double, most_shared> used{};  ///< bits in other memories that operands share
    std::uint32_t parent = 0;
    std::uint8_t kind = 0;
    State state;
  };

  void list_memories();
  void extend(std::size_t below, std::size_t kind, int operand, Label& to);
  bool close(int operand, int level, std::size_t multiset, Label& to) const;
  bool fits(std::size_t multiset, const Label& label) const;
  std::size_t number_of(const State& state) const;
  void keep(const Label& label);
  void finish(std::size_t multiset, std::uint32_t index);

  const MultisetTables& tables_;
  FusedPrice price_;
  std::array<int, max_operands> home_level_;
  LeastCosts least_;
  double most_;     ///< pJ
  double buffers_;  ///< of what is brought several times
  int operands_;
  std::array<bool, max_operands> kept_{};
  double home_capacity_ = 0;
  std::vector<double> shared_capacity_;
  std::array<std::array<int, max_memory_levels>, max_operands> shared_{};  ///< index, -1, -2: the home
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
};
/// A layer with one unrolling, twice: as it is, and where its output is moved into the home (moves_into()),
/// if it can be left there in this way only.
struct LayerViews {
  std::vector<LayerAxis> axes;  ///< with what the unrolling leaves of them
  LayerTiles own, moved;

  /// As a layer has them that leaves its output in the home, or does not.
  const LayerTiles& tiles(bool output_exchanged) const {
    return output_exchanged && moved.tables != nullptr ? moved : own;
  }
};

/// A layer with each unrolling that it may have: its own, then those of its menu. Empty for layers of no
/// set.
using LayerMenu = std::vector<LayerViews>;

}  // namespace zz::core
