#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/multicore/graph/cut.hpp"
#include "core/multicore/schedule/core_costs.hpp"

namespace zz::core {

/// Nodes of a layer that have one shape.
struct NodesOfShape {
  int nodes = 1;
  std::int64_t iterations = 1;  ///< of one of them
};

/// One way to cut a layer into computation nodes, with what a node costs on each core that can run it.
struct PricedCut {
  std::vector<CutLoop> loops;                       ///< as a user writes them; none: the layer stays whole
  std::vector<NodesOfShape> shapes;                 ///< by ComputationNode::shape
  std::shared_ptr<const CoreCosts::OfLayer> costs;  ///< of these; some core runs them
};

/// The shapes of a layer that is cut, as entries of PricedCut.
std::vector<NodesOfShape> nodes_by_shape(const CutLayer& cut_layer);

/// The cuts of each layer that compete, by the layers of a ComputationNodeGraph: ascending id, without
/// layers that only pass data on. A partition is a choice of one cut for each layer.
using PricedMenus = std::vector<std::vector<PricedCut>>;

}  // namespace zz::core
