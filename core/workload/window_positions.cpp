#include "core/workload/window_positions.hpp"

namespace zz::core {

std::vector<Window> windows_of(const Layer& layer, const Rules& rules) {
  std::vector<Window> windows;
  windows.reserve(layer.relations.size());
  for (const DimensionRelation& relation : layer.relations) {
    windows.push_back(
        {{relation.stride, relation.dilation, relation.size, rules.overcounted_window_positions},
         layer.loop_index(relation.output_loop),
         layer.loop_index(relation.filter_loop)});
  }
  return windows;
}

}  // namespace zz::core
