#include "plugins/internal/converted_context.hpp"

#include <utility>
#include <vector>

#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/temporal/topmost_room.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

Value converted_context(const Stage& stage, const Value& ctx, core::Layer layer,
                        const core::Accelerator& accelerator, const core::Rules& rules) {
  core::ConvertedSpatialMapping converted = core::convert_spatial_mapping(layer, accelerator, rules);
  for (const std::string& warning : converted.warnings) stage.log(Level::warning, warning);
  const Value mapped = wrap(std::move(layer));
  const Value fractional = wrap(std::move(converted.fractional));
  const Value integral = wrap(std::move(converted.integral));
  return with(
      ctx, {{"layer"_n, mapped}, {"spatial_mapping"_n, fractional}, {"spatial_mapping_int"_n, integral}});
}

void refuse_small_topmost_memories(const Value& ctx, const core::Rules& rules) {
  const auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const auto unrolled = object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping");
  core::refuse_small_topmost_memories(*layer, *accelerator, rules, unrolled.get());
}

Value unrolling_value(const core::SpatialUnrolling& unrolling) {
  std::vector<std::vector<Entry>> loops;
  std::vector<Entry> dimensions;
  loops.reserve(unrolling.dimensions.size());
  for (const core::ArrayUnrolling& dimension : unrolling.dimensions) {
    std::vector<Entry>& along = loops.emplace_back();
    for (const core::SpatialLoop& loop : dimension.loops) along.emplace_back(loop.dimension, loop.factor);
    dimensions.emplace_back(dimension.array_dimension, Literal(std::span<const Entry>(along)));
  }
  return make(nullptr, Literal(std::span<const Entry>(dimensions)));
}

}  // namespace zz::plugins
