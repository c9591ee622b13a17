#include "core/search/fused/detail/shared_lists.hpp"

#include <algorithm>

namespace zz::core {

SharedLists::SharedLists(const FusedNetwork& network, const Numbered<LayerViews>& layers)
    : network_(network), layers_(layers), tiles_(layers.size()) {}

std::vector<SharedLoop> SharedLists::loops(int list) const {
  std::vector<SharedLoop> loops;
  for (; list != 0; list = lists_[list].parent) loops.push_back(lists_[list].loop);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

bool SharedLists::has_axis(int list, int axis) const {
  for (; list != 0; list = lists_[list].parent)
    if (lists_[list].loop.axis == axis) return true;
  return false;
}

bool SharedLists::over(int list, const std::vector<int>& axes) const {
  for (; list != 0; list = lists_[list].parent) {
    if (!std::binary_search(axes.begin(), axes.end(), lists_[list].loop.axis)) return false;
  }
  return true;
}

int SharedLists::longer(int list, const SharedLoop& loop) {
  const auto [entry, fresh] =
      known_.try_emplace({list, {loop.axis, loop.iterations}}, static_cast<int>(lists_.size()));
  if (fresh) lists_.push_back({list, loop, length(list) + 1});
  return entry->second;
}

std::size_t SharedLists::tile(int layer, int list) {
  const MultisetTables* tables = layers_[layer].own().tables;
  if (list == 0) return tables->size - 1;
  std::vector<std::size_t>& known = tiles_[layer];
  if (known.size() <= static_cast<std::size_t>(list)) known.resize(lists_.size(), unknown);
  if (known[list] != unknown) return known[list];
  const List& of = lists_[list];
  std::size_t tile = this->tile(layer, of.parent);
  const LayerAxis* axis = network_.axis_of(layer, of.loop.axis);
  if (axis == nullptr || axis->left % of.loop.iterations != 0) tile = none;
  std::int64_t left = of.loop.iterations;
  for (const MultisetTables::Kind& kind : tables->kinds) {
    if (tile == none) break;
    if (kind.dimension != axis->dimension) continue;
    for (; left % kind.size == 0; left /= kind.size) {
      if (tables->count(tile, kind) == 0) {
        tile = none;
        break;
      }
      tile -= kind.stride;
    }
  }
  if (left != 1) tile = none;
  known[list] = tile;
  return tile;
}

}  // namespace zz::core
