#pragma once
#include <cstddef>
#include <vector>

#include "core/search/fused/fused_network.hpp"

namespace zz::core {

/// The sets of layers that may have run at some time, each with the layers that can come next: all orders
/// in which the layers of a network may run. A layer comes behind all whose results it reads.
class RunPrefixes {
 public:
  /// Only the order of the network.
  explicit RunPrefixes(const FusedNetwork& network);
  /// All orders; only that of the network where there are more than `most` sets.
  RunPrefixes(const FusedNetwork& network, std::size_t most);

  struct Next {
    int layer = 0, prefix = 0;  ///< the layer, and the set with it
  };
  /// The steps from a set: from the empty one, which has number 0, and from larger ones.
  const std::vector<Next>& next(int prefix) const { return prefixes_[prefix].next; }
  bool has(int prefix, int layer) const { return prefixes_[prefix].has[layer]; }
  /// All layers that read the tensor are in the set.
  bool all_uses(const NetworkTensor& tensor, int prefix) const;
  /// Sets by number; a set has a smaller one than those that contain it.
  int size() const { return static_cast<int>(prefixes_.size()); }
  /// Some order is not that of the network.
  bool has_choice() const { return prefixes_.size() > prefixes_.front().has.size() + 1; }

 private:
  struct Prefix {
    std::vector<bool> has;
    std::vector<Next> next;
  };
  Numbered<Prefix> prefixes_;
};

}  // namespace zz::core
