#include "plugins/mapping/spatial_mapping_conversion_stage.hpp"

#include "plugins/internal/converted_context.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

Results SpatialMappingConversionStage::run(Value ctx) {
  const auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const Value below = converted_context(*this, ctx, *layer, *accelerator, rules());
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
