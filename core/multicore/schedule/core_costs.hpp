#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core {

/// The costs of one computation node on one core.
struct CoreCost {
  int core = 0;
  double runtime = 0;         ///< cycles: with loading, without off-loading of the last outputs
  double onchip_energy = 0;   ///< pJ
  double offchip_energy = 0;  ///< pJ, of the off-chip memory for the operands that are streamed
  /// Operands (index into Layer::operands, in equation order) too large for the core: they stream from and
  /// to the off-chip memory while the node runs.
  std::vector<int> streamed;
  /// The demand of streaming on the off-chip memory: whole elements per cycle, as Stream 0.0.8 counts ...
  double stream_read_elements = 0, stream_write_elements = 0;
  /// ... and in the bits that really move for one node.
  double stream_read_bits = 0, stream_write_bits = 0;
  std::shared_ptr<const Evaluation> evaluation;  ///< null when the costs come from elsewhere
};

/// Costs of every layer's nodes on each of its candidate cores.
struct CoreCosts {
  struct OfShape {
    std::vector<CoreCost> on;  ///< in the order of the candidates
  };
  struct OfLayer {
    std::vector<CoreCost> on;      ///< of its largest nodes, in the order of the candidates
    std::vector<OfShape> smaller;  ///< of CutLayer::smaller_pieces, on the same cores

    /// By ComputationNode::shape.
    const std::vector<CoreCost>& of(int shape) const { return shape == 0 ? on : smaller[shape - 1].on; }
  };
  std::vector<OfLayer> layers;  ///< by ComputationNodeGraph::layers

  /// Of the nodes of one shape. Null when the layer has no cost on the core.
  const CoreCost* find(int layer, int shape, int core) const {
    for (const CoreCost& cost : layers[layer].of(shape))
      if (cost.core == core) return &cost;
    return nullptr;
  }
  const CoreCost* find(const ComputationNode& node, int core) const {
    return find(node.layer, node.shape, core);
  }
};

}  // namespace zz::core
