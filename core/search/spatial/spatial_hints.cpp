#include "core/search/spatial/spatial_hints.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/compat/python_set_order.hpp"

namespace zz::core {

std::vector<int> hinted_loops(const Layer& layer, const std::string& array_dimension,
                              std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  for (const UnrollingHint& hint : layer.mapping.spatial_hints) {
    if (hint.array_dimension != array_dimension) continue;
    const bool any = std::any_of(hint.dimensions.begin(), hint.dimensions.end(),
                                 [&](const std::string& name) { return layer.loop_index(name) >= 0; });
    if (any) {
      names = hint.dimensions;
    } else {
      warnings.push_back(
          fmt::format("layer '{}': no dimension of the hint for {} is a loop of the layer; the hint is "
                      "not used",
                      layer.name, array_dimension));
    }
  }
  if (names.empty()) {
    for (const LoopDimension& loop : layer.loops) names.push_back(loop.name);
  }
  std::vector<int> loops;
  for (const std::string& name : python_set_order(names, NameClass::layer_dimension)) {
    if (const int index = layer.loop_index(name); index >= 0) loops.push_back(index);
  }
  return loops;
}

}  // namespace zz::core
