// A cost model of a third party that gives evaluations which could not be.
#include <string>
#include <utility>

#include "zz/stage.hpp"

namespace {

struct MadeEvaluationStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.test.MadeEvaluationStage",
      .name = "MadeEvaluationStage",
      .summary = "gives the same figures for every layer",
      .flags = ZZ_STAGE_LEAF | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC};
  std::string mistake = "none";
  static constexpr auto params =
      zz::params(zz::param<&MadeEvaluationStage::mistake>("mistake", "what is wrong with the evaluation")
                     .allowed("none|parts|no_latency|zero_latency|utilization"));

  static constexpr zz::Port consumes[] = {zz::object("layer", "layer", "what costs so much")};

  zz::Result run(zz::Value ctx) {
    if (mistake == "no_latency") return zz::make("evaluation", {{"energy_total", 5.0}});
    const double mac_energy = mistake == "parts" ? 3.0 : 2.0;
    const double latency = mistake == "zero_latency" ? 0.0 : 7.0;
    const double ideal_cycle = mistake == "utilization" ? 336.0 : 0.0;
    return zz::make("evaluation", {{"layer", ctx["layer"]},
                                   {"energy_total", 5.0},
                                   {"mem_energy", 3.0},
                                   {"mac_energy", mac_energy},
                                   {"ideal_cycle", ideal_cycle},
                                   {"latency_total2", latency}});
  }
};

/// Changes figures of what comes from below.
struct ChangedEvaluationStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.test.ChangedEvaluationStage",
      .name = "ChangedEvaluationStage",
      .summary = "changes one figure and leaves what it follows from",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC};
  std::string figure;
  double factor = 1;
  static constexpr auto params =
      zz::params(zz::param<&ChangedEvaluationStage::figure>("figure", "which is changed").required(),
                 zz::param<&ChangedEvaluationStage::factor>("factor", "what it is multiplied by"));
  static constexpr const char* writes[] = {"*"};

  zz::Results run(zz::Value ctx) {
    for (zz::Result& result : substage(ctx)) {
      const double changed = result.evaluation[figure.c_str()].num() * factor;
      zz::Value evaluation = zz::with(result.evaluation, {{figure, changed}});
      co_yield zz::Result(std::move(evaluation), std::move(result.extra));
    }
  }
};

}  // namespace

ZZ_PLUGIN("org.test.made_evaluations", MadeEvaluationStage, ChangedEvaluationStage)
