#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/graph/dependencies.hpp"
#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/search/detail/plan.hpp"

namespace zz::core {

/// True if both cuts divide the same loops into as many pieces in the same order, spread or not.
bool same_loops(const Cut& a, const Cut& b);

/// A group with a choice of cores where cuts stay, and how much it matters.
struct PlanGene : Gene {
  double work = 0;  ///< cycles of its nodes, with the fastest candidates
  double bits = 0;  ///< of the constants that its nodes read
};

/// Everything that plans may be made of: where cuts move, those of each layer, and how far they lie apart;
/// where they stay, the candidates of each group. [one thread at a time; any where cuts stay]
class PlanSpace {
 public:
  /// Cuts stay. `orders`: dispatch rules, orders and back-filling move.
  PlanSpace(int layers, std::vector<PlanGene> genes, bool orders);
  PlanSpace(const ScheduleProblem& problem, bool orders);
  /// Cuts move. Grids are over so many cores; `pairs` are the layers that exchange data. Menus must live as
  /// long.
  PlanSpace(const std::vector<std::shared_ptr<const Layer>>& layers, const CutMenus& cuts,
            const std::vector<LayerPairs::Pair>& pairs = {}, int cores = 1, int samples = 1);

  int layers() const { return layer_count_; }
  int samples() const { return samples_; }
  bool orders() const { return orders_; }
  bool cuts_move() const { return cuts_ != nullptr; }

  /// None where cuts move.
  const std::vector<PlanGene>& genes() const { return genes_; }
  /// Number of allocations; infinity when there are too many for a double.
  double allocations() const;

  // Menus; cuts must move.
  int cuts(int layer) const { return static_cast<int>((*cuts_)[layer].size()); }
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

  int layer_count_ = 0;
  bool orders_ = true;
  std::vector<PlanGene> genes_;
  const CutMenus* cuts_ = nullptr;
  std::vector<std::shared_ptr<const Layer>> layers_;
  std::vector<std::vector<std::int64_t>> pieces_;
  std::vector<std::vector<int>> grids_;
  bool in_order_ = true;
  int samples_ = 1;
  int slots_ = Plan::fewest_slots;
  mutable std::vector<std::vector<std::optional<std::vector<int>>>> near_;  ///< of cuts that were asked for
};

}  // namespace zz::core
