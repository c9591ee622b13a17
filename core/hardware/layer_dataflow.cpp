#include "core/hardware/layer_dataflow.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace zz::core {
namespace {

/// The loops over elements of the output that take more than one iteration and may be unrolled.
std::set<std::string> output_loops(const Layer& layer) {
  std::set<std::string> loops;
  for (std::size_t i = 0; i < layer.loops.size(); ++i)
    if (layer.loops[i].size > 1 && !layer.loops[i].sequential &&
        layer.relevancy(0, static_cast<int>(i)) == Relevancy::relevant)
      loops.insert(layer.loops[i].name);
  return loops;
}

bool adds_up(const Layer& layer) {
  for (std::size_t i = 0; i < layer.loops.size(); ++i)
    if (layer.loops[i].size > 1 && layer.relevancy(0, static_cast<int>(i)) != Relevancy::relevant)
      return true;
  return false;
}

/// Takes the longest of the loops; the first by name of several.
std::string take_longest(const Layer& layer, std::set<std::string>& loops) {
  const auto longest = std::max_element(loops.begin(), loops.end(), [&](const auto& a, const auto& b) {
    return layer.loop_size(a) < layer.loop_size(b);
  });
  return loops.extract(longest).value();
}

SpatialUnrolling on_output_loops(const Layer& layer, const OperationalArray& array) {
  std::set<std::string> free = output_loops(layer);
  SpatialUnrolling unrolling;
  for (const ArrayDimension& dimension : array.dimensions) {
    ArrayUnrolling& unrolled = unrolling.dimensions.emplace_back();
    unrolled.array_dimension = dimension.name;
    if (!free.empty()) unrolled.loops = {{take_longest(layer, free), dimension.size}};
  }
  return unrolling;
}

}  // namespace

SpatialUnrolling dataflow_of_layer(const Layer& layer, const Accelerator& core) {
  SpatialUnrolling unrolling = core.dataflows;
  if (const int steps = layer.sequential_loop(); steps >= 0)
    for (ArrayUnrolling& array : unrolling.dimensions)
      std::erase_if(array.loops, [&](const SpatialLoop& loop) {
        return loop.dimension == layer.loops[static_cast<std::size_t>(steps)].name;
      });
  if (unrolling.dimensions.empty()) return on_output_loops(layer, core.array);
  if (adds_up(layer)) return unrolling;
  std::set<std::string> free = output_loops(layer);
  for (const ArrayUnrolling& array : unrolling.dimensions)
    for (const SpatialLoop& loop : array.loops) free.erase(loop.dimension);
  for (ArrayUnrolling& array : unrolling.dimensions) {
    std::int64_t lanes = 1, used = 1;
    for (const SpatialLoop& loop : array.loops) {
      lanes *= loop.factor;
      used *= std::min(loop.factor, layer.loop_size(loop.dimension));
    }
    if (used == lanes || free.empty()) continue;
    std::set<std::string> others = free;
    const std::string longest = take_longest(layer, others);
    if (layer.loop_size(longest) <= used) continue;
    array.loops = {{longest, lanes}};
    free = std::move(others);
  }
  return unrolling;
}

}  // namespace zz::core
