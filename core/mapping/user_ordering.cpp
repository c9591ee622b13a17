#include "core/mapping/user_ordering.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"

namespace zz::core {

bool is_complete_ordering(const Layer& layer, const std::vector<RemainingLoop>& remaining) {
  std::vector<std::int64_t> ordered(layer.loops.size(), 1);
  for (const OrderingEntry& entry : layer.mapping.temporal_ordering) {
    const int dimension = layer.loop_index(entry.dimension);
    if (!entry.size || dimension < 0) return false;
    ordered[dimension] *= *entry.size;
  }
  std::vector<std::int64_t> wanted(layer.loops.size(), 1);
  for (const RemainingLoop& loop : remaining) wanted[loop.dimension] = loop.size;
  return ordered == wanted;
}

std::vector<OrderConstraint> order_constraints(const Layer& layer) {
  const std::vector<OrderingEntry>& ordering = layer.mapping.temporal_ordering;
  std::vector<OrderConstraint> constraints;
  bool from_outermost = false;
  for (std::size_t i = 0; i < ordering.size(); ++i) {
    const OrderingEntry& entry = ordering[i];
    if (entry.dimension == "*") {
      if (from_outermost) {
        throw InputError(
            fmt::format("layer '{}': the temporal ordering has two '*' entries; one stands for all loops "
                        "that are left open",
                        layer.name));
      }
      from_outermost = true;
      continue;
    }
    const int position = static_cast<int>(i) - (from_outermost ? static_cast<int>(ordering.size()) : 0);
    const int dimension = layer.loop_index(entry.dimension);
    if (dimension < 0) {
      throw InputError(
          fmt::format("layer '{}': the temporal ordering names {}, which is no loop of the layer",
                      layer.name, entry.dimension));
    }
    constraints.push_back({position, dimension, entry.size});
  }
  return constraints;
}

}  // namespace zz::core
