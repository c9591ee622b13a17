#pragma once
#include <string>
#include <vector>

#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"

namespace zz::core {

struct TensorSaving {
  std::string tensor;  ///< the layer that makes it; "layer.operand" of what no layer of the network makes
  double saved = 0;    ///< pJ, at all memories of all layers of the group; negative: it costs more
};

/// The saving of each tensor of a group against the layers by themselves, the largest first; without
/// differences that only rounding makes. REQUIRES: the network has the layers' own mappings.
std::vector<TensorSaving> savings_of(const FusedNetwork& network, const FusedMapping& mapping,
                                     const FusedGroup& group);

}  // namespace zz::core
