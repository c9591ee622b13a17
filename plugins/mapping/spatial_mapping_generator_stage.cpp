#include "plugins/mapping/spatial_mapping_generator_stage.hpp"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "core/search/spatial/spatial_prescription.hpp"
#include "plugins/internal/converted_context.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

Results SpatialMappingGeneratorStage::run(Value ctx) {
  const auto layer = object<core::Layer>(ctx, "layer"_n, "layer");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const core::Rules followed = rules();
  const core::SpatialGeneratorOptions options{
      .mixed = enable_mix_spatial_mapping_generation, .count = nb_mappings_generated, .rules = followed};
  const core::SpatialCandidates candidates = core::generate_spatial_mappings(*layer, *accelerator, options);
  for (const std::string& hint : core::hints_of_no_dimension(*layer, *accelerator))
    log(Level::warning, hint);
  // A mapping file speaks of many layers at once, so fitting it to one layer deserves no warning.
  for (const std::string& change : candidates.warnings) log(Level::debug, change);
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
    co_yield Result(std::move(result.evaluation), extra);
  }
  count("spatial mappings tried", candidates.mappings.size());
  if (!found && first_failure) {
    throw Error(ZZ_E_NO_RESULT,
                fmt::format("layer '{}': no result for any of its {} spatial mappings; for the first: {}",
                            layer->name, candidates.mappings.size(), first_failure->what()),
                first_failure->failure);
  }
}

}  // namespace zz::plugins
