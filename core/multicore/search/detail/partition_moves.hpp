#pragma once
#include <memory>
#include <vector>

#include "core/multicore/search/cut_menu.hpp"
#include "core/multicore/search/detail/partition_choice.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// What is common to all walks: the cuts of the layers, and how far they lie apart. [any]
class CutNeighbours {
 public:
  CutNeighbours(const std::vector<std::shared_ptr<const Layer>>& layers, const CutMenus& cuts);

  int layers() const { return static_cast<int>(cuts_.size()); }
  int cuts(int layer) const { return static_cast<int>(cuts_[layer].size()); }
  /// Pieces of a layer.
  int pieces(int layer, int cut) const { return pieces_[layer][cut]; }
  int pieces(const Partition& partition) const;
  /// Cuts of the layer that differ little: in the count of one loop, by a loop, or in their order.
  const std::vector<int>& near(int layer, int cut) const { return near_[layer][cut]; }
  /// The cut of a layer that is most like one of another layer; -1: none is.
  int like(int layer, int other, int cut) const;
  /// The same for loops that need not be a cut of a layer: counts beyond a loop are its size.
  int like(int layer, const Cut& loops) const;

 private:
  double distance(const Cut& a, const Cut& b) const;

  const CutMenus& cuts_;
  std::vector<std::shared_ptr<const Layer>> layers_;
  std::vector<std::vector<int>> pieces_;
  std::vector<std::vector<std::vector<int>>> near_;
};

/// Random changes of choices.
class PartitionMoves {
 public:
  PartitionMoves(const CutNeighbours& neighbours, RandomNumbers& random)
      : neighbours_(neighbours), random_(random) {}

  /// Changes the cut of a layer or of several; the graph has at most so many nodes. Returns false, and
  /// changes nothing, when a few attempts find none.
  bool change_cuts(PartitionChoice& choice, int most_nodes);
  /// Changes the cores of one layer or of several neighbours.
  void change_cores(PartitionChoice& choice);
  /// Changes the dispatch rule or back-filling; with `layers` also the rank of a layer.
  void change_order(PartitionChoice& choice, bool layers);

 private:
  void try_cuts(PartitionChoice& choice);
  PartitionChoice::CoreSlots random_slots();

  const CutNeighbours& neighbours_;
  RandomNumbers& random_;
};

/// Slots that take the candidates in turn from one on.
PartitionChoice::CoreSlots slots_in_turn(int first);
/// All on one.
PartitionChoice::CoreSlots slots_alike(int core);

}  // namespace zz::core
