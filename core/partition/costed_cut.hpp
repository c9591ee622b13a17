#pragma once
#include <vector>

#include "core/fusion/outer_loops.hpp"
#include "core/schedule/core_costs.hpp"

namespace zz::core {

/// One way to cut a layer into computation nodes, with what a node costs on each core that can run it.
struct CostedCut {
  std::vector<HintLoop> loops;  ///< as a user writes them; none: the layer stays whole
  int nodes = 1;
  std::vector<CoreCost> on;  ///< of one node, by candidate core; never empty
};

/// The cuts of each layer that compete, by the layers of a ComputationNodeGraph: ascending id, without
/// layers that only pass data on. A partition is a choice of one cut for each layer.
using CutMenu = std::vector<std::vector<CostedCut>>;

}  // namespace zz::core
