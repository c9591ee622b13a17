// Stages that run a chain of their own, which is a setting.
#include "zz/stage.hpp"

namespace {

struct NestedMapperStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.test.NestedMapperStage",
      .name = "NestedMapperStage",
      .summary = "maps one layer with a chain of its own",
      .doc = "",
      .flags = ZZ_STAGE_LEAF | ZZ_STAGE_PARALLEL_OPEN | ZZ_STAGE_DETERMINISTIC};
  zz::Chain mapper{
      "[MinimalLatencyStage, SpatialMappingGeneratorStage, MinimalLatencyStage, LomaStage, "
      "CostModelStage]"};
  static constexpr auto params =
      zz::params(zz::param<&NestedMapperStage::mapper>("mapper", "the stages that map a layer"));
  static constexpr zz::Port consumes[] = {zz::object("layer", "layer", "what is mapped"),
                                          zz::object("accelerator", "accelerator", "what it is mapped on")};
  // A leaf, and yet it hands down: to its chain.
  static constexpr zz::Port provides[] = {zz::port("effort", ZZ_I64, "how hard its chain tries")};

  zz::Results run(zz::Value ctx) {
    const zz::Value inside = zz::with(ctx, {{"effort", 1}});
    auto runs = mapper.ordered(1, [&](uint32_t) { return inside; });
    for (zz::Result result; runs.next(result);) co_yield std::move(result);
  }
};

/// Keeps the fastest result, and says so, or keeps it to itself.
template <bool says>
struct Fastest : zz::Stage {
  static constexpr zz::Description description{
      .id = says ? "org.test.TellingFastestStage" : "org.test.SilentFastestStage",
      .name = says ? "TellingFastestStage" : "SilentFastestStage",
      .summary = "keeps the fastest result",
      .doc = "",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_PARALLEL_OPEN | ZZ_STAGE_DETERMINISTIC};

  zz_demand demand() const { return {1, 1, {zz::Name("latency_total2").id()}}; }
  zz::Value makes() const {
    if constexpr (says) return zz::make(nullptr, {{"makes", "least"}, {"by", "latency"}});
    return {};
  }
  zz::Result run(zz::Value ctx) {
    zz::Result best;
    for (zz::Result& result : substage(ctx))
      if (!best.evaluation ||
          result.evaluation["latency_total2"].num() < best.evaluation["latency_total2"].num())
        best = std::move(result);
    if (!best.evaluation) throw zz::Error(ZZ_E_NO_RESULT, "nothing came up");
    return best;
  }
};

}  // namespace

ZZ_PLUGIN("org.test.nested", NestedMapperStage, Fastest<true>, Fastest<false>)
