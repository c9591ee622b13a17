#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/graph/cut.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Layers that run fused, by id; one stack after the other.
using LayerStacks = std::vector<std::vector<std::int64_t>>;

struct StackOptions {
  /// "fused": as many layers as have room together; "lbl": each layer alone ("layer by layer").
  std::string mode = "fused";
  /// Fused: layers up to this id form one stack, the others one each.
  std::optional<std::int64_t> cutoff{};
  /// Fused: last id of the first stack, of the second, ...; after the last one each layer is alone.
  /// Ascending.
  std::vector<std::int64_t> cutoffs{};
  Rules rules{};
};

/// Divides the layers of a network, by ascending id and without pass-through nodes, into stacks. Without
/// cutoffs a stack ends where the weights no longer fit into the weight memories of all cores together; the
/// layers after it are alone. With Rules::first_constant_decides the weight of a layer is its first
/// constant operand (Layer::source_order), which for the first layer of a network is the image.
///
/// Throws InputError for an unknown mode and for cutoffs that contradict each other.
LayerStacks determine_layer_stacks(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                   const StackOptions& options);

/// Throws InputError, naming the first, when stacks that a user wrote hold layers that the network lacks.
void check_layers_known(const LayerStacks& stacks, const Workload& workload);

/// Cuts for the layers of each stack: row by row ("OY, all") where several layers pass images on, not at
/// all elsewhere.
std::vector<CutEntry> hints_of_stacks(const LayerStacks& stacks, const Workload& workload);

/// The stacks that cutoffs make of the nodes of a network, pass-through nodes included: ids up to the first
/// cutoff, up to the second, ..., and the rest, if any. Throws InputError when cutoffs do not ascend.
LayerStacks stacks_up_to(const std::vector<std::int64_t>& cutoffs, const Workload& workload);

/// All nodes of a graph, the first to be scheduled first: stack after stack, in each the layer with the
/// highest id first, and in each layer the last node, so that data is used soon after it was made. Layers
/// in no stack come last; ids that the graph lacks are passed over.
std::vector<int> deepest_first(const ComputationNodeGraph& graph, const LayerStacks& stacks);

}  // namespace zz::core
