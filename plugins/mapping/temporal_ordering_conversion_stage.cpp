#include <string>
#include <utility>

#include "core/search/temporal/user_ordering.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"

namespace zz::plugins {
namespace {

/// Hands down the one temporal mapping that the mapping file prescribes.
class TemporalOrderingConversionStage : public Stage, public CompatSetting, public MappingTypeSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.TemporalOrderingConversionStage",
      .name = "TemporalOrderingConversionStage",
      .summary = "takes the order of the temporal loops from the mapping file",
      .doc =
          R"(Allocates the `temporal_ordering` of the layer's entry of the mapping file (innermost loop first) to the memories,
from the innermost memory upwards, as much as fits, and opens the chain below once with that `temporal_mapping`.
Nothing is searched. The size `all` (or `"*"`) of a loop stands for the iterations that the unrolling and
earlier entries of the same dimension leave:

```yaml
- name: default
  spatial_mapping: {D1: ["K, 32"], D2: ["C, 32"]}
  temporal_ordering: [[FX, all], [FY, all], [C, 2], [OX, 7], [K, all], [C, all], [OX, all], [OY, all]]
```

With `cuts` the entry says as well how many of these loops, counted from the innermost, each memory of each operand
holds the data of; then they are not allocated but taken as they are. Mapping files that were made of results have them,
so that they cost the same again.

Loops that the layer does not have are dropped with a warning, loops of one iteration are left out. An
ordering that does not cover each loop exactly is refused, and so is none at all; with `compat` any product of sizes is
taken as it is. TemporalMappingGeneratorStage takes complete orderings too, and searches what an incomplete one leaves
open. Results from below pass unchanged.

```yaml
stages: [..., SpatialMappingGeneratorStage, MinimalLatencyStage, TemporalOrderingConversionStage, CostModelStage]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params = zz::params(mapping_type_setting, compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "its memories hold the loops"),
      zz::object("layer", "layer", "the layer, with its ordering in `mapping.temporal_ordering`"),
      zz::object("spatial_mapping", "spatial_mapping", "the unrolling; what it leaves is ordered in time")};
  static constexpr Port provides[] = {zz::object("temporal_mapping", "temporal_mapping",
                                                 "the order of the temporal loops with its allocation")};

  Results run(Value ctx);
};

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

}  // namespace

ZZ_PLUGIN_STAGE(TemporalOrderingConversionStage)

}  // namespace zz::plugins
