#pragma once
#include <cstdint>
#include <string>

#include "plugins/internal/shared_settings.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Opens the chain below once for each of the best ways to unroll a layer over the array.
class SpatialMappingGeneratorStage : public Stage, public CompatSetting, public MixedUnrollingSettings {
 public:
  static constexpr Description description{
      .id = "org.zz.SpatialMappingGeneratorStage",
      .name = "SpatialMappingGeneratorStage",
      .aliases = "CustomSpatialMappingGeneratorStage",
      .summary = "tries the best ways to unroll a layer over the array",
      .doc =
          R"(Finds the spatial mappings of `layer` on `accelerator`: which loops are unrolled how often along each
dimension of the array. What the mapping file prescribes is kept, cut to what layer, array and the innermost memories
allow; what it leaves open is filled with the candidates that occupy most units. The chain below is opened for
each of the `nb_mappings_generated` best, best first, with the layer as it is then mapped, and with
`spatial_mapping` and `spatial_mapping_int`, the unrolling by memory level. A candidate for which the chain below
finds nothing is passed over; only when all of them fail there is no result.

CustomSpatialMappingGeneratorStage, as Stream's documentation calls it, is this stage.

Yields (evaluation, [spatial mapping, extra]) for each result from below. A reducer above keeps the best:

```yaml
  - MinimalLatencyStage
  - SpatialMappingGeneratorStage: {nb_mappings_generated: 5}
  - MinimalLatencyStage
  - TemporalMappingGeneratorStage
  - CostModelStage
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  int64_t nb_mappings_generated = 3;
  static constexpr auto params =
      zz::params(mixed_setting, diagonal_setting,
                 param<&SpatialMappingGeneratorStage::nb_mappings_generated>(
                     "nb_mappings_generated", "how many candidates to try, best first")
                     .allowed("[1, inf]"),
                 compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator",
                 "its array and the bandwidth of its innermost memories count"),
      zz::object("layer", "layer", "the layer to map, with its entry of the mapping file")};
  static constexpr Port provides[] = {
      zz::object("layer", "layer", "the layer with the chosen unrolling in `mapping.spatial_mapping`"),
      zz::object("spatial_mapping", "spatial_mapping",
                 "the unrolling by memory level, with fractional factors"),
      zz::object("spatial_mapping_int", "spatial_mapping", "the same with whole factors")};

  Results run(Value ctx);
};

}  // namespace zz::plugins
