#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "core/search/temporal/topmost_room.hpp"
#include "plugins/internal/converted_context.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/internal/tried_share.hpp"

namespace zz::plugins {
namespace {

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

Results say with `unrollings_tried` and `unrollings_possible` how many of how many candidates were tried.

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
      zz::object("spatial_mapping_int", "spatial_mapping",
                 "the same with whole factors, rounded up; with `compat` cut")};
  static constexpr auto& metrics = unrollings_share_metrics;

  /// The mapping that it hands down is found later.
  Value check(Value ctx) const { return ctx; }
  Results run(Value ctx);
};

Results SpatialMappingGeneratorStage::run(Value ctx) {
  const auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const core::Rules followed = rules();
  const core::SpatialGeneratorOptions options{
      .mixed = enable_mix_spatial_mapping_generation, .count = nb_mappings_generated, .rules = followed};
  const core::SpatialCandidates candidates = core::generate_spatial_mappings(*layer, *accelerator, options);
  for (const std::string& hint : core::hints_of_no_dimension(*layer, *accelerator))
    log(Level::warning, hint);
  // A hint says what may be, and one mapping file hints for many kinds of layers.
  for (const std::string& hint : core::hints_without_loops(*layer)) log(Level::debug, hint);
  for (const std::string& change : candidates.warnings) log(Level::warning, change);
  if (!candidates.warnings.empty()) count("unrollings fitted to their layer");

  const auto context_of = [&](uint32_t number) {
    core::Layer mapped = *layer;
    mapped.mapping.spatial_mapping = candidates.mappings[number];
    return converted_context(*this, ctx, std::move(mapped), *accelerator, followed);
  };
  auto runs =
      ordered(static_cast<uint32_t>(candidates.mappings.size()), context_of, nullptr, AfterFailure::go_on);
  bool found = false;
  std::optional<Below> first_failure;
  for (bool more = true; more;) {
    Result result;
    try {
      more = runs.next(result);
    } catch (const Below& failure) {
      // An unrolling that has no mapping does not end the search.
      if (failure.code != ZZ_E_NO_RESULT) throw;
      if (!first_failure) first_failure = failure;
      continue;
    }
    if (!more) break;
    found = true;
    const Value chosen = unrolling_value(candidates.mappings[runs.index()]);
    const Value extra = make(nullptr, list({chosen, result.extra}));
    co_yield Result(
        unrollings_share.told(result.evaluation, static_cast<double>(candidates.mappings.size()),
                              candidates.combinations),
        extra);
  }
  count("spatial mappings tried", candidates.mappings.size());
  if (!found && first_failure) {
    core::refuse_small_topmost_memories(*layer, *accelerator, followed);
    const bool only_one =
        candidates.mappings.size() == 1 && !layer->mapping.spatial_mapping.dimensions.empty();
    std::string text =
        fmt::format("layer '{}': no result for any of its {} spatial mappings; for the first: {}",
                    layer->name, candidates.mappings.size(), first_failure->what());
    const bool told = !first_failure->failure || first_failure->failure["not_found"_n].exists();
    if (only_one || told) throw Error(ZZ_E_NO_RESULT, text, first_failure->failure);
    // The reason for the unrollings that were tried need not hold for all.
    text += "; more nb_mappings_generated tries more of them, and OptimalMappingStage searches all";
    throw Error(ZZ_E_NO_RESULT, text, not_found_failure(text.c_str(), first_failure->failure));
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(SpatialMappingGeneratorStage)

}  // namespace zz::plugins
