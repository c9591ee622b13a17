#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/graph/dependencies.hpp"
#include "core/multicore/search/detail/plan.hpp"

namespace zz::core {

/// True if both cuts divide the same loops into as many pieces in the same order, spread or not.
bool same_loops(const Cut& a, const Cut& b);

/// The cuts that plans may have for each layer, and how far they lie apart. [one thread at a time]
class PlanSpace {
 public:
  /// Grids are over so many cores; `pairs` are the layers that exchange data. Menus must live as long.
  PlanSpace(const std::vector<std::shared_ptr<const Layer>>& layers, const CutMenus& cuts,
            const std::vector<LayerPairs::Pair>& pairs = {}, int cores = 1, int samples = 1);

  int samples() const { return samples_; }
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
  int samples_;
  int slots_ = Plan::fewest_slots;
  mutable std::vector<std::vector<std::optional<std::vector<int>>>> near_;  ///< of cuts that were asked for
};

}  // namespace zz::core
