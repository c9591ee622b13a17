#include "core/multicore/schedule/resident_figures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/base/diagnostics.hpp"
#include "core/multicore/graph/samples.hpp"

namespace zz::core {
namespace {

/// By layer.
std::map<int, std::int64_t> bits_of_constants(const ComputationNodeGraph& graph) {
  std::map<int, std::int64_t> bits;
  for (const PieceTensor& tensor : graph.tensors)
    if (shared_by_samples(*graph.layers[tensor.layer].layer, tensor.operand))
      bits[tensor.layer] += tensor.bits;
  return bits;
}

}  // namespace

std::string does_not_stay(const ComputationNodeGraph& graph, int layer) {
  return fmt::format(
      "the constants of layer {} '{}', {} bits, do not stay: they stream, or the memories of their cores "
      "have no room for them beside the largest node, or are emptied for streams",
      graph.layers[layer].layer->id, graph.layers[layer].layer->name, bits_of_constants(graph)[layer]);
}

ResidentFigures resident_figures(const Schedule& schedule, const std::vector<int>& asked) {
  std::map<int, std::int64_t> bits = bits_of_constants(*schedule.graph);
  ResidentFigures figures;
  for (const int layer : asked)
    if (std::find(schedule.resident.begin(), schedule.resident.end(), layer) == schedule.resident.end())
      figures.left_out.push_back(layer);
  if (!asked.empty() && schedule.resident.empty()) {
    const int smallest =
        *std::min_element(asked.begin(), asked.end(), [&](int a, int b) { return bits[a] < bits[b]; });
    throw InputError(fmt::format(
        "'resident': not even the smallest constants: {}; name other layers, or cut the network into "
        "smaller nodes",
        does_not_stay(*schedule.graph, smallest)));
  }
  for (const int layer : schedule.resident) figures.bits += bits[layer];
  figures.fill_cycles = cycles_of_fill(schedule);
  for (const Transfer& transfer : schedule.fill)
    figures.fill_energy += transfer.link_energy + transfer.memory_energy;
  return figures;
}

}  // namespace zz::core
