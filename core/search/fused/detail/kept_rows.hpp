#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"

namespace zz::core {

/// Rows that wait in the exchange memory between iterations of a shared loop along which windows slide.
///
/// A window reaches beyond the tile that its producer has made in the same iteration. So its layer runs
/// some iterations *behind* the loop, as many as the last row that a tile reads takes to be there, and rows
/// of earlier iterations are kept. Nothing is computed or fetched twice. A layer is as far behind as the
/// longest way to it through the network makes it. "Rows" are what the loop walks, columns as well.
class KeptRows {
 public:
  /// Refers to it.
  explicit KeptRows(const FusedNetwork& network) : network_(network) {}

  /// Iterations that a layer with the axis runs behind the loop.
  int behind(int layer, const SharedLoop& loop) { return behind_all(loop)[layer]; }
  /// Rows of a tensor that are there when its producer begins a tile, and that are still to be read: the
  /// most of all iterations. REQUIRES: all layers of the tensor have the axis.
  std::int64_t of(int tensor, const SharedLoop& loop);

 private:
  using Loop = std::pair<int, std::int64_t>;
  const std::vector<int>& behind_all(const SharedLoop& loop);

  const FusedNetwork& network_;
  std::map<Loop, std::vector<int>> behind_;
  std::map<std::pair<int, Loop>, std::int64_t> rows_;
};

}  // namespace zz::core
