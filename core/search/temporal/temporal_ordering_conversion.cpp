#include "core/search/temporal/temporal_ordering_conversion.hpp"

#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/search/temporal/user_ordering.hpp"

namespace zz::core {
namespace {

/// How often a loop is unrolled, by dimension; every operand lists all unrolled loops.
std::vector<double> unrolled_factors(const Layer& layer, const SpatialMapping& spatial_mapping) {
  std::vector<double> factors(layer.loops.size(), 1);
  for (const auto& level : spatial_mapping.operands.at(1).levels) {
    for (const UnrolledLoop& loop : level) {
      if (const int dimension = layer.loop_index(loop.dimension); dimension >= 0)
        factors[dimension] *= loop.factor;
    }
  }
  return factors;
}

/// The entries as they stand, whatever their product.
std::vector<TemporalLoop> unchecked_order(const Layer& layer, const SpatialMapping& spatial_mapping) {
  if (layer.mapping.temporal_ordering.empty()) {
    throw InputError(
        fmt::format("layer '{}': mapping entry '{}' has no temporal_ordering, which is to be used",
                    layer.name, layer.mapping.name));
  }
  std::vector<double> taken = unrolled_factors(layer, spatial_mapping);
  std::vector<TemporalLoop> order;
  for (const OrderingEntry& entry : layer.mapping.temporal_ordering) {
    const int dimension = layer.loop_index(entry.dimension);
    const double left = std::floor(static_cast<double>(layer.loops[dimension].size) / taken[dimension]);
    const std::int64_t size =
        entry.size.value_or(std::max<std::int64_t>(1, static_cast<std::int64_t>(left)));
    taken[dimension] *= static_cast<double>(size);
    order.push_back({entry.dimension, size});
  }
  return order;
}

std::vector<TemporalLoop> checked_order(const Layer& layer, const SpatialMapping& spatial_mapping) {
  const UserOrdering ordering =
      user_ordering(layer, remaining_loops(layer, spatial_mapping, {}), OrderingUse::prescribe, {});
  std::vector<TemporalLoop> order;
  for (const RemainingLoop& loop : ordering.loops)
    order.push_back({layer.loops[loop.dimension].name, loop.size});
  return order;
}

}  // namespace

ConvertedOrdering convert_temporal_ordering(const Layer& layer, const Accelerator& accelerator,
                                            const SpatialMapping& spatial_mapping, MappingType type,
                                            const Rules& rules) {
  ConvertedOrdering converted;
  Layer known = layer;
  known.mapping.temporal_ordering.clear();
  for (const OrderingEntry& entry : layer.mapping.temporal_ordering) {
    const bool wildcard = entry.dimension == "*" && !rules.outer_wildcard_dropped;
    if (wildcard || layer.loop_index(entry.dimension) >= 0) {
      known.mapping.temporal_ordering.push_back(entry);
    } else {
      converted.warnings.push_back(
          fmt::format("layer '{}': temporal_ordering names {}, which is no loop of the layer; the entry is "
                      "dropped",
                      layer.name, entry.dimension));
    }
  }
  converted.mapping =
      allocate_loop_order(known, accelerator, spatial_mapping,
                          rules.orderings_unchecked ? unchecked_order(known, spatial_mapping)
                                                    : checked_order(known, spatial_mapping),
                          type, rules);
  return converted;
}

}  // namespace zz::core
