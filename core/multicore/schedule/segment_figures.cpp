#include "core/multicore/schedule/segment_figures.hpp"

#include <algorithm>
#include <set>

#include "core/multicore/graph/samples.hpp"

namespace zz::core {
namespace {

/// By tensor: times at which the off-chip memory began to send it. Cores that take it from one transfer
/// have one time, and so have those that stay in a steady state.
std::vector<int> times_sent(const Schedule& schedule) {
  std::vector<std::set<double>> starts(schedule.graph->tensors.size());
  const int offchip = schedule.accelerator->offchip_core.value_or(-1);
  for (const Transfer& transfer : schedule.transfers)
    if (transfer.sender == offchip) starts[transfer.tensor].insert(transfer.start);
  std::vector<int> times;
  for (const std::set<double>& of_tensor : starts) times.push_back(static_cast<int>(of_tensor.size()));
  for (const Transfer& transfer : schedule.fill) times[transfer.tensor] = 1;
  return times;
}

}  // namespace

std::vector<SegmentFigures> segment_figures(const Schedule& schedule) {
  const ComputationNodeGraph& graph = *schedule.graph;
  if (graph.samples == 1) return {};
  const auto segment_of = [&](int layer) {
    return static_cast<std::size_t>(
        std::upper_bound(schedule.segments.begin(), schedule.segments.end(), layer) -
        schedule.segments.begin());
  };
  std::vector<SegmentFigures> segments(schedule.segments.size() + 1);
  std::vector<std::set<int>> cores(graph.layers.size());
  for (const ScheduledNode& node : schedule.nodes) cores[graph.nodes[node.node].layer].insert(node.core);
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const std::size_t number = segment_of(static_cast<int>(layer));
    SegmentFigures& segment = segments[number];
    const bool goes_on =
        layer > 0 && segment_of(static_cast<int>(layer) - 1) == number && cores[layer] == cores[layer - 1];
    segment.layers.push_back(graph.layers[layer].layer->id);
    segment.stages += goes_on ? 0 : 1;
    segment.cores.insert(segment.cores.end(), cores[layer].begin(), cores[layer].end());
  }
  for (SegmentFigures& segment : segments) {
    std::sort(segment.cores.begin(), segment.cores.end());
    segment.cores.erase(std::unique(segment.cores.begin(), segment.cores.end()), segment.cores.end());
  }
  const std::vector<int> sent = times_sent(schedule);
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const PieceTensor& tensor = graph.tensors[i];
    const Layer& layer = *graph.layers[tensor.layer].layer;
    if (!layer.operands[tensor.operand].constant || !shared_by_samples(layer, tensor.operand)) continue;
    SegmentFigures& segment = segments[segment_of(tensor.layer)];
    segment.constants += tensor.bits;
    if (sent[i] == 1) segment.constants_kept += tensor.bits;
  }
  std::vector<char> waits(graph.tensors.size(), 0);
  for (const Dependency& dependency : graph.dependencies) {
    const ComputationNode& from = graph.nodes[dependency.from];
    if (segment_of(from.layer) == segment_of(graph.nodes[dependency.to].layer)) continue;
    const int tensor = from.tensors[0];
    if (tensor < 0 || waits[tensor]) continue;
    waits[tensor] = 1;
    segments[segment_of(from.layer)].waits += graph.tensors[tensor].bits;
  }
  return segments;
}

}  // namespace zz::core
