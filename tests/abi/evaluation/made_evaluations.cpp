// A cost model of a third party that gives evaluations which could not be.
#include <string>

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
                     .allowed("none|parts|no_latency"));

  static constexpr zz::Port consumes[] = {zz::object("layer", "layer", "what costs so much")};

  zz::Result run(zz::Value ctx) {
    if (mistake == "no_latency") return zz::make("evaluation", {{"energy_total", 5.0}});
    const double mac_energy = mistake == "parts" ? 3.0 : 2.0;
    return zz::make("evaluation", {{"layer", ctx["layer"]},
                                   {"energy_total", 5.0},
                                   {"mem_energy", 3.0},
                                   {"mac_energy", mac_energy},
                                   {"latency_total2", 7.0}});
  }
};

}  // namespace

ZZ_PLUGIN("org.test.made_evaluations", MadeEvaluationStage)
