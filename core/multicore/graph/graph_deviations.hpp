#pragma once
#include <string>
#include <vector>

#include "core/multicore/graph/layer_stacks.hpp"
#include "core/multicore/graph/split.hpp"

namespace zz::core {

/// The rules by which Stream makes something else of a layer, with the layer's name.
struct LayerDeviation {
  bool Rules::*rule;
  std::string layer;
};

/// Layers that Stream puts into other stacks than `found`.
std::vector<LayerDeviation> deviations_of_stacks(const Workload& workload,
                                                 const MultiCoreAccelerator& accelerator,
                                                 const StackOptions& options, const LayerStacks& found);

/// Layers of a graph that Stream cuts or connects otherwise. Nothing is cut again but slices of weights:
/// a layer has what a rule is about, and the figures may be the same all the same.
std::vector<LayerDeviation> deviations_of_graph(const Workload& workload, const ComputationNodeGraph& graph,
                                                const MultiCoreAccelerator& accelerator,
                                                const SplitOptions& options);

}  // namespace zz::core
