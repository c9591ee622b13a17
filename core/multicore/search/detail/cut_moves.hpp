#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/graph/dependencies.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// A point of the space that a search over cuts walks through. The cores are told by layer and not by
/// group, so that they keep a meaning when the cut of a layer changes.
struct PartitionChoice {
  static constexpr int fewest_slots = 16;
  /// Group g of a layer runs on candidate slots[g % count of slots], counted around. At least as many as
  /// there are candidates, and fewest_slots.
  using CoreSlots = std::vector<std::uint16_t>;
  /// A shift by the groups of a sample, so that all groups of a layer take the slots in turn.
  static constexpr std::uint16_t in_turn = 0xffff;

  Partition cuts;
  std::vector<CoreSlots> cores;  ///< by layer
  /// By layer, where each sample has groups of its own: the slots of the next sample begin so much later.
  /// Empty: `in_turn` everywhere.
  std::vector<std::uint16_t> shifts;
  ScheduleChoice order;  ///< but for its cores

  bool operator==(const PartitionChoice&) const = default;
};

/// The core of each gene.
std::vector<int> cores_of(const PartitionChoice& choice, const ScheduleProblem& problem);

/// Sets slots and shifts that give these cores, as far as groups share slots.
void set_slots(PartitionChoice& choice, const std::vector<int>& cores, const ScheduleProblem& problem);

/// Common ground of all walks: the cuts of the layers, and how far they lie apart. [one thread at a time]
class CutNeighbours {
 public:
  /// Grids are over so many cores; `pairs` are the layers that exchange data.
  CutNeighbours(const std::vector<std::shared_ptr<const Layer>>& layers, const CutMenus& cuts,
                const std::vector<LayerPairs::Pair>& pairs = {}, int cores = 1, int samples = 1);

  int layers() const { return static_cast<int>(cuts_.size()); }
  int cuts(int layer) const { return static_cast<int>(cuts_[layer].size()); }
  /// Slots of each layer.
  int slots() const { return slots_; }
  /// Nodes of a layer, of all samples.
  std::int64_t pieces(int layer, int cut) const { return pieces_[layer][cut]; }
  std::int64_t pieces(const Partition& partition) const;
  /// The cuts that differ at most in how they divide the samples.
  std::vector<int> sample_variants(int layer, int cut) const;
  /// The cuts that are grids (is_grid).
  const std::vector<int>& grids(int layer) const { return grids_[layer]; }
  /// The grid of a layer that divides samples and loops as one of another layer does; -1: none.
  int same_grid(int layer, int other, int cut) const;
  /// True if a segment may begin at any layer: each reads from earlier ones alone.
  bool in_order() const { return in_order_; }
  /// Cuts of the layer that differ little: in the count of one loop, by a loop, or in their order.
  const std::vector<int>& near(int layer, int cut) const;
  /// The cut of a layer that is most like one of another layer; -1: none is.
  int like(int layer, int other, int cut) const;
  /// The same for loops that need not be a cut of a layer: counts beyond a loop are its size.
  int like(int layer, const Cut& loops) const;

 private:
  double distance(const Cut& a, const Cut& b) const;

  const CutMenus& cuts_;
  std::vector<std::shared_ptr<const Layer>> layers_;
  std::vector<std::vector<std::int64_t>> pieces_;
  std::vector<std::vector<int>> grids_;
  bool in_order_ = true;
  int slots_ = PartitionChoice::fewest_slots;
  mutable std::vector<std::vector<std::optional<std::vector<int>>>> near_;  ///< of cuts that were asked for
};

/// Random changes of choices.
class CutMoves {
 public:
  CutMoves(const CutNeighbours& neighbours, RandomNumbers& random)
      : neighbours_(neighbours), random_(random) {}

  /// Changes the cut of a layer or of several; the graph has at most so many nodes. Returns false, and
  /// changes nothing, when a few attempts find none.
  bool change_cuts(PartitionChoice& choice, int most_nodes);
  /// Changes the cores of one layer or of several neighbours.
  void change_cores(PartitionChoice& choice);
  /// Changes the dispatch rule or back-filling; with `layers` also the rank of a layer.
  void change_order(PartitionChoice& choice, bool layers);
  /// With several samples: changes how many are in flight at once, or whether and how a run of layers takes
  /// other cores from sample to sample.
  void change_samples(PartitionChoice& choice, int samples);
  /// With several samples: changes how a run of layers divides them, as change_cuts().
  bool change_sample_cuts(PartitionChoice& choice, int most_nodes);
  /// With several samples: gives a run of layers one grid over all cores, as change_cuts().
  bool change_grids(PartitionChoice& choice, int most_nodes);
  /// With several samples: adds, moves or removes the beginning of a segment. Returns false where nothing
  /// has changed, as where there can be none.
  bool change_segments(PartitionChoice& choice);
  /// In the steady state: lets the constants of one of these layers stay, before all others, or no more.
  void change_resident(PartitionChoice& choice, const std::vector<int>& layers);

 private:
  void try_cuts(PartitionChoice& choice);
  PartitionChoice::CoreSlots random_slots();

  const CutNeighbours& neighbours_;
  RandomNumbers& random_;
};

/// So many slots that take the candidates in turn from one on.
PartitionChoice::CoreSlots slots_in_turn(int first, int slots = PartitionChoice::fewest_slots);
/// All on one.
PartitionChoice::CoreSlots slots_alike(int core, int slots = PartitionChoice::fewest_slots);

}  // namespace zz::core
