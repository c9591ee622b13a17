#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/cut_menu.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// A point of the space that a search over cuts walks through. The cores are told by layer and not by
/// group, so that they keep a meaning when the cut of a layer changes.
struct PartitionChoice {
  static constexpr int core_slots = 16;
  /// Group g of a layer runs on candidate slots[g % core_slots], counted around.
  using CoreSlots = std::array<std::uint8_t, core_slots>;

  Partition cuts;
  std::vector<CoreSlots> cores;  ///< by layer
  ScheduleChoice order;          ///< but for its cores

  bool operator==(const PartitionChoice&) const = default;
};

/// The core of each gene.
inline std::vector<int> cores_of(const PartitionChoice& choice, const std::vector<Gene>& genes) {
  std::vector<int> cores;
  cores.reserve(genes.size());
  for (const Gene& gene : genes) {
    const int slot = choice.cores[gene.layer][gene.group % PartitionChoice::core_slots];
    cores.push_back(gene.cores[slot % gene.cores.size()]);
  }
  return cores;
}

/// The slots that give these cores, as far as groups share slots.
inline std::vector<PartitionChoice::CoreSlots> slots_of(const std::vector<int>& cores,
                                                        const ScheduleProblem& problem) {
  std::vector<PartitionChoice::CoreSlots> slots(problem.graph()->layers.size());
  for (std::size_t i = problem.genes().size(); i-- > 0;) {
    const Gene& gene = problem.genes()[i];
    const auto candidate = std::find(gene.cores.begin(), gene.cores.end(), cores[i]) - gene.cores.begin();
    slots[gene.layer][gene.group % PartitionChoice::core_slots] = static_cast<std::uint8_t>(candidate);
  }
  return slots;
}

/// Common ground of all walks: the cuts of the layers, and how far they lie apart. [one thread at a time]
class CutNeighbours {
 public:
  CutNeighbours(const std::vector<std::shared_ptr<const Layer>>& layers, const CutMenus& cuts);

  int layers() const { return static_cast<int>(cuts_.size()); }
  int cuts(int layer) const { return static_cast<int>(cuts_[layer].size()); }
  /// Pieces of a layer.
  int pieces(int layer, int cut) const { return pieces_[layer][cut]; }
  int pieces(const Partition& partition) const;
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
  std::vector<std::vector<int>> pieces_;
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
