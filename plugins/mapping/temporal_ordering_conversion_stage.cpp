#include "plugins/mapping/temporal_ordering_conversion_stage.hpp"

#include <utility>

#include "core/search/temporal/temporal_ordering_conversion.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

Results TemporalOrderingConversionStage::run(Value ctx) {
  const auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const auto unrolled = object<core::SpatialMapping>(ctx, "spatial_mapping"_n, "spatial_mapping");
  core::ConvertedOrdering converted =
      core::convert_temporal_ordering(*layer, *accelerator, *unrolled, mapping_type(), rules());
  for (const std::string& warning : converted.warnings) log(Level::warning, warning);
  count("mappings evaluated");
  const Value mapping = wrap(std::move(converted.mapping));
  for (Result& result : substage(with(ctx, {{"temporal_mapping"_n, mapping}}))) co_yield std::move(result);
}

}  // namespace zz::plugins
