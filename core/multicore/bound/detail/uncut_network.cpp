#include "core/multicore/bound/detail/uncut_network.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "core/base/interruption.hpp"
#include "core/multicore/graph/split.hpp"

namespace zz::core {
namespace {

/// Distinct values of stride * a + dilation * b - padding within the data, for `outputs` values of a from
/// `first` on and all of b.
///
/// Steps of dilation / gcd of a and stride / gcd of b make the same. So each value is counted with its
/// smallest b: one below a step, or one with an a that no further step fits above.
std::int64_t touched_by_window(const DimensionRelation& relation, std::int64_t first, std::int64_t outputs,
                               std::int64_t filter) {
  constexpr std::int64_t between_looks = 1 << 16;  // at the interruption
  const std::int64_t begin = relation.stride * first - relation.padding_low;
  const std::int64_t common = std::gcd(relation.stride, relation.dilation);
  const std::int64_t a_step = relation.dilation / common, b_step = relation.stride / common;
  // Number of from, from + step, ... that are within the data.
  const auto within = [&](std::int64_t from, std::int64_t step, std::int64_t count) {
    const std::int64_t below = from < 0 ? std::min(count, (-from + step - 1) / step) : 0;
    const std::int64_t up = from >= relation.size ? 0 : (relation.size - 1 - from) / step + 1;
    return std::max<std::int64_t>(0, std::min(count, up) - below);
  };
  std::int64_t touched = 0;
  for (std::int64_t b = 0; b < std::min(filter, b_step); ++b) {
    if (b % between_looks == 0) end_if_interrupted();
    touched += within(begin + relation.dilation * b, relation.stride, outputs);
  }
  if (filter <= b_step) return touched;
  for (std::int64_t a = std::max<std::int64_t>(0, outputs - a_step); a < outputs; ++a) {
    if (a % between_looks == 0) end_if_interrupted();
    touched += within(begin + relation.stride * a + relation.dilation * b_step, relation.dilation,
                      filter - b_step);
  }
  return touched;
}

/// The layer that an operand comes from through operators that keep the shape; -1: not that simple.
int layer_behind(std::int64_t id, const ComputationNodeGraph& whole,
                 const std::unordered_map<std::int64_t, const PassThroughNode*>& between) {
  for (std::size_t steps = 0; steps <= between.size(); ++steps) {
    if (const int layer = whole.layer_index(id); layer >= 0) return layer;
    const auto found = between.find(id);
    if (found == between.end()) return -1;
    const PassThroughNode& node = *found->second;
    if (node.shape_change.kind != ShapeChange::Kind::none || node.sources.size() != 1) return -1;
    id = node.sources.front();
  }
  return -1;
}

bool same_extents(const CutLayer& producer, const CutLayer& consumer, int operand) {
  const std::vector<PieceAxis> written = axes_of_operand(producer, 0);
  const std::vector<PieceAxis> read = axes_of_operand(consumer, operand);
  return std::equal(written.begin(), written.end(), read.begin(), read.end(),
                    [](const PieceAxis& a, const PieceAxis& b) { return a.extent == b.extent; });
}

}  // namespace

ComputationNodeGraph uncut(const Workload& workload, const MultiCoreAccelerator& accelerator) {
  SplitOptions options;
  options.mode = split_by_layer;
  CutEntry& all = options.cut_entries.emplace_back();
  for (const auto& layer : workload.layers) all.layers.push_back(layer->id);
  std::vector<std::string> warnings;
  return split_into_nodes(workload, accelerator, options, warnings);
}

std::vector<DirectInput> direct_inputs(const Workload& workload, const ComputationNodeGraph& whole) {
  std::unordered_map<std::int64_t, const PassThroughNode*> between;
  for (const PassThroughNode& node : workload.pass_through) between.emplace(node.id, &node);
  std::vector<DirectInput> inputs;
  for (std::size_t consumer = 0; consumer < whole.layers.size(); ++consumer) {
    const Layer& layer = *whole.layers[consumer].layer;
    for (std::size_t operand = 1; operand < layer.operands.size(); ++operand) {
      const LayerOperand& entry = layer.operands[operand];
      if (entry.sources.size() != 1 || entry.offchip_elements > 0) continue;
      const int producer = layer_behind(entry.sources.front(), whole, between);
      if (producer < 0) continue;
      if (same_extents(whole.layers[producer], whole.layers[consumer], static_cast<int>(operand)))
        inputs.push_back({producer, static_cast<int>(consumer), static_cast<int>(operand)});
    }
  }
  return inputs;
}

std::int64_t touched_along(const CutLayer& whole, int operand, std::size_t axis,
                           const std::vector<std::int64_t>& loop_counts) {
  const Layer& layer = *whole.layer;
  const std::string& dimension = layer.operands[operand].dimensions[axis];
  for (const DimensionRelation& relation : layer.relations) {
    if (relation.data != dimension) continue;
    const int output = layer.loop_index(relation.output_loop),
              filter = layer.loop_index(relation.filter_loop);
    const std::int64_t outputs = output < 0 ? 1 : loop_counts[output];
    const std::int64_t all = output < 0 ? 1 : whole.loop_sizes[output];
    const std::int64_t width = filter < 0 ? 1 : loop_counts[filter];
    // Fewest at one of the borders, where padding is cut off.
    return std::min(touched_by_window(relation, 0, outputs, width),
                    touched_by_window(relation, all - outputs, outputs, width));
  }
  const int loop = layer.loop_index(dimension);
  return loop < 0 ? 1 : loop_counts[loop];
}

double touched_elements(const CutLayer& whole, int operand) {
  double elements = 1;
  for (std::size_t axis = 0; axis < whole.layer->operands[operand].dimensions.size(); ++axis)
    elements *= static_cast<double>(touched_along(whole, operand, axis, whole.loop_sizes));
  return elements;
}

}  // namespace zz::core
