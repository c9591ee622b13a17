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

[[noreturn]] void refuse(const ComputationNodeGraph& graph, const std::vector<int>& layers,
                         std::map<int, std::int64_t>& bits) {
  const int least =
      *std::min_element(layers.begin(), layers.end(), [&](int a, int b) { return bits[a] < bits[b]; });
  throw InputError(
      fmt::format("'resident': not even the smallest constants, those of layer {} '{}' with {} bits, have "
                  "room in the memories of their cores beside the largest node there; name other layers, "
                  "or cut the network into smaller nodes",
                  graph.layers[least].layer->id, graph.layers[least].layer->name, bits[least]));
}

}  // namespace

ResidentFigures resident_figures(const Schedule& schedule, const std::vector<int>& asked) {
  std::map<int, std::int64_t> bits = bits_of_constants(*schedule.graph);
  ResidentFigures figures;
  for (const int layer : asked)
    if (std::find(schedule.resident.begin(), schedule.resident.end(), layer) == schedule.resident.end())
      figures.left_out.push_back(layer);
  if (!asked.empty() && schedule.resident.empty()) refuse(*schedule.graph, asked, bits);
  for (const int layer : schedule.resident) figures.bits += bits[layer];
  figures.fill_cycles = cycles_of_fill(schedule);
  for (const Transfer& transfer : schedule.fill)
    figures.fill_energy += transfer.link_energy + transfer.memory_energy;
  return figures;
}

}  // namespace zz::core
