#include "core/multicore/graph/graph_deviations.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/multicore/graph/detail/network_paths.hpp"

namespace zz::core {
namespace {

/// Stream moves padding, and enlarges loops until their pieces are equal.
bool has_padding(const CutLayer& cut_layer) {
  const auto padded = [](const DimensionRelation& relation) {
    return relation.padding_low > 0 || relation.padding_high > 0;
  };
  const std::vector<DimensionRelation>& relations = cut_layer.layer->relations;
  return !cut_layer.smaller_pieces.empty() || std::any_of(relations.begin(), relations.end(), padded);
}

bool has_cut_sums(const CutLayer& cut_layer) {
  return std::any_of(cut_layer.outer_loops.begin(), cut_layer.outer_loops.end(),
                     [&](const NodeLoop& outer) {
                       return outer.count > 1 && is_irrelevant(*cut_layer.layer, 0, outer.loop);
                     });
}

/// The nodes of a cut layer read channels of groups, or rows with gaps between them.
bool has_gaps(const CutLayer& cut_layer) {
  if (cut_layer.node_count < 2) return false;
  const Layer& layer = *cut_layer.layer;
  const auto skips = [&](const DimensionRelation& relation) {
    const std::int64_t filter = relation.dilation * (layer.loop_size(relation.filter_loop) - 1) + 1;
    return relation.stride > filter || (relation.dilation > 1 && filter > 1);
  };
  return layer.loop_size("G") > 1 || std::any_of(layer.relations.begin(), layer.relations.end(), skips);
}

/// Operators without cost behind which data do not lie as the last layer wrote them.
std::set<std::int64_t> behind_reshapes(const NetworkPaths& walk) {
  std::set<std::int64_t> found;
  for (const std::int64_t id : walk.order()) {
    const PassThroughNode* node = walk.pass_through(id);
    if (node == nullptr) continue;
    const bool reshapes = node->shape_change.kind != ShapeChange::Kind::none;
    if (reshapes || std::any_of(node->sources.begin(), node->sources.end(),
                                [&](std::int64_t source) { return found.count(source) != 0; }))
      found.insert(id);
  }
  return found;
}

bool reads_any(const Layer& layer, const std::set<std::int64_t>& nodes) {
  return std::any_of(layer.operands.begin(), layer.operands.end(), [&](const LayerOperand& operand) {
    return std::any_of(operand.sources.begin(), operand.sources.end(),
                       [&](std::int64_t source) { return nodes.count(source) != 0; });
  });
}

/// Weights need other slices. False also where Stream finds none.
bool has_other_slices(const CutLayer& cut_layer, const MultiCoreAccelerator& accelerator,
                      const SplitOptions& options) {
  if (options.mode != 4 || cut_layer.layer->mapping.core_allocation.size() == 1) return false;
  SplitOptions original = options;
  original.rules.first_constant_decides = true;
  try {
    return weight_slices(*cut_layer.layer, accelerator, options) !=
           weight_slices(*cut_layer.layer, accelerator, original);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::vector<LayerDeviation> deviations_of_stacks(const Workload& workload,
                                                 const MultiCoreAccelerator& accelerator,
                                                 const StackOptions& options, const LayerStacks& found) {
  constexpr bool Rules::*rule = &Rules::first_constant_decides;
  StackOptions original = options;
  if (std::exchange(original.rules.*rule, true)) return {};
  const LayerStacks others = determine_layer_stacks(workload, accelerator, original);
  std::vector<LayerDeviation> deviations;
  for (const std::vector<std::int64_t>& stack : found) {
    if (std::find(others.begin(), others.end(), stack) != others.end()) continue;
    for (const std::int64_t id : stack)
      if (const Layer* layer = workload.layer(id)) deviations.push_back({rule, layer->name});
  }
  return deviations;
}

std::vector<LayerDeviation> deviations_of_graph(const Workload& workload, const ComputationNodeGraph& graph,
                                                const MultiCoreAccelerator& accelerator,
                                                const SplitOptions& options) {
  const std::set<std::int64_t> reshaped = behind_reshapes(NetworkPaths(workload, graph));
  std::vector<LayerDeviation> deviations;
  for (const CutLayer& cut_layer : graph.layers) {
    const Layer& layer = *cut_layer.layer;
    const auto add = [&](bool Rules::*rule, bool applies) {
      if (applies && !(options.rules.*rule)) deviations.push_back({rule, layer.name});
    };
    add(&Rules::padding_is_data, has_padding(cut_layer));
    add(&Rules::partial_sums_unordered, has_cut_sums(cut_layer));
    add(&Rules::inexact_dependencies, has_gaps(cut_layer));
    add(&Rules::addition_operands_mixed, fed_operands(layer).size() > 1);
    add(&Rules::reshaped_data_repeated, reads_any(layer, reshaped));
    add(&Rules::first_constant_decides, has_other_slices(cut_layer, accelerator, options));
  }
  return deviations;
}

}  // namespace zz::core
