// A stage of a third party that hands down, or has scored, mappings that could not be.
#include <string>
#include <vector>

#include "zz/stage.hpp"

namespace {

struct MadeMappingStage : zz::Stage {
  static constexpr zz::Description description{.id = "org.test.MadeMappingStage",
                                               .name = "MadeMappingStage",
                                               .summary = "changes the mapping that it was given",
                                               .flags = ZZ_STAGE_DETERMINISTIC};
  std::string mistake = "none";
  static constexpr auto params = zz::params(
      zz::param<&MadeMappingStage::mistake>("mistake", "what is wrong with the mapping")
          .allowed(
              "none|too_short|without_room|over_too_many_units|scored|negative_cost|unknown_dimension"));
  static constexpr zz::Port consumes[] = {zz::object("layer", "layer", "is changed"),
                                          zz::object("accelerator", "accelerator", "has the memories"),
                                          zz::object("spatial_mapping", "spatial_mapping", "is changed"),
                                          zz::object("temporal_mapping", "temporal_mapping", "is changed")};
  static constexpr zz::Port provides[] = {
      zz::object("temporal_mapping", "temporal_mapping", "the changed one"),
      zz::object("spatial_mapping", "spatial_mapping", "changed, too"),
      zz::object("layer", "layer", "likewise")};

  zz::Value changed(const zz::Value& ctx) const {
    if (mistake == "too_short") return zz::with(ctx, {{"temporal_mapping.loops[0].size", 1}});
    if (mistake == "without_room") {
      const auto loops = static_cast<int64_t>(ctx["temporal_mapping.loops"].size());
      return zz::with(ctx, {{"temporal_mapping.operands[O].allocated[0]", loops},
                            {"temporal_mapping.operands[O].stationary[0]", loops}});
    }
    if (mistake == "over_too_many_units")
      return zz::with(ctx, {{"spatial_mapping.operands[I].levels[0][K].factor", 8}});
    if (mistake == "unknown_dimension")
      return zz::with(ctx, {{"layer.operands[W].dimensions", zz::list({"K", "KC"})}});
    return ctx;
  }

  zz::Results run(zz::Value ctx) {
    if (mistake == "scored") {
      zz::Value shorter = zz::with(ctx, {{"temporal_mapping.loops[0].size", 1}});
      const zz::Value rows =
          zz::make(nullptr, zz::list({ctx["temporal_mapping"], shorter["temporal_mapping"]}));
      std::vector<double> scores(2);
      const zz::Name energy("energy_total");
      auto scorer = this->scorer(ctx, zz::Name("temporal_mapping"), {&energy, 1});
      scorer->score(rows, 0, 2, scores.data());
    }
    for (zz::Result& result : substage(changed(ctx))) {
      if (mistake == "negative_cost")
        result.evaluation = zz::with(result.evaluation, {{"latency_total2", -1.0}});
      co_yield std::move(result);
    }
  }
};

}  // namespace

ZZ_PLUGIN("org.test.made_mappings", MadeMappingStage)
