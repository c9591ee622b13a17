#include <string>
#include <utility>

#include "core/search/spatial/spatial_generator.hpp"
#include "plugins/internal/converted_context.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"

namespace zz::plugins {
namespace {

/// Distributes the unrolling that a layer prescribes over its memory levels.
class SpatialMappingConversionStage : public Stage, public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.SpatialMappingConversionStage",
      .name = "SpatialMappingConversionStage",
      .summary = "distributes a given unrolling over the memory levels",
      .doc =
          R"(Takes the unrolling of the layer's entry of the mapping file and hands it down by operand and
memory level: as `spatial_mapping` with fractional factors (a loop of 7 on 4 units in two rounds occupies 3.5 units on
average), and as `spatial_mapping_int` with whole ones: 4, those of the fullest round, or with `compat` 3, as in
ZigZag. What layer or array do not have is cut off as by SpatialMappingGeneratorStage, and told in the same words, so
that one entry may serve a whole network. Nothing is unrolled along array dimensions that the entry leaves open. Use
this stage instead of SpatialMappingGeneratorStage, which does the same for each of its candidates, when nothing is to
be searched. Results from below pass unchanged.

```yaml
stages: [..., WorkloadStage, SpatialMappingConversionStage, MinimalLatencyStage, LomaStage, CostModelStage]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params = zz::params(compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator",
                 "its array and the array dimensions that its memories serve count"),
      zz::object("layer", "layer", "the layer, with its unrolling in `mapping.spatial_mapping`")};
  static constexpr Port provides[] = {
      zz::object("layer", "layer", "the layer, with the unrolling as it is then mapped"),
      zz::object("spatial_mapping", "spatial_mapping",
                 "the unrolling by memory level, with fractional factors"),
      zz::object("spatial_mapping_int", "spatial_mapping",
                 "the same with whole factors, rounded up; with `compat` cut")};

  /// The mapping that it hands down is found later.
  Value check(Value ctx) const { return ctx; }
  Results run(Value ctx);
};

Results SpatialMappingConversionStage::run(Value ctx) {
  const auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  core::FittedPrescription fitted = core::fitted_prescription(*layer, *accelerator);
  for (const std::string& change : fitted.changes) log(Level::warning, change);
  core::Layer mapped = *layer;
  mapped.mapping.spatial_mapping = std::move(fitted.unrolling);
  const Value below = converted_context(*this, ctx, std::move(mapped), *accelerator, rules());
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(SpatialMappingConversionStage)

}  // namespace zz::plugins
