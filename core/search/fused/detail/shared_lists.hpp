#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/search/fused/detail/tile_summaries.hpp"
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"

namespace zz::core {

/// Lists of shared loops, each known by a number: 0 is the empty one, and a list knows the one without its
/// innermost loop. Also what of each layer's loops a list leaves to the layer.
class SharedLists {
 public:
  static constexpr std::size_t none = ~std::size_t{0};  ///< no tile
  // In docs/limits.md.
  static constexpr int most_loops = 6;

  /// Refers to them. `layers` are those of the network.
  SharedLists(const FusedNetwork& network, const Numbered<LayerViews>& layers);

  int length(int list) const { return lists_[list].length; }
  /// The list of its outermost loops.
  int prefix(int list, int length) const {
    while (this->length(list) > length) list = lists_[list].parent;
    return list;
  }
  bool begins_with(int list, int beginning) const { return prefix(list, length(beginning)) == beginning; }
  std::vector<SharedLoop> loops(int list) const;
  bool has_axis(int list, int axis) const;
  /// All loops of the list are over these axes (rising).
  bool over(int list, const std::vector<int>& axes) const;
  /// The list with one more loop inside.
  int longer(int list, const SharedLoop& loop);

  /// The multiset of loops that the list leaves to a layer of a set; `none`: it cannot share the list.
  std::size_t tile(int layer, int list);
  /// A layer of no set shares the empty list only.
  bool can_share(int layer, int list) {
    return layers_[layer].none() ? list == 0 : tile(layer, list) != none;
  }

 private:
  struct List {
    int parent = 0;
    SharedLoop loop;
    int length = 0;
  };
  const FusedNetwork& network_;
  const Numbered<LayerViews>& layers_;
  Numbered<List> lists_{std::vector<List>(1)};
  std::map<std::pair<int, std::pair<int, std::int64_t>>, int> known_;
  static constexpr std::size_t unknown = none - 1;
  Numbered<std::vector<std::size_t>> tiles_;  ///< by layer and list
};

}  // namespace zz::core
