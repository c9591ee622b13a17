// A pass over schedules by a third party: cores that wait are switched off, which saves energy.
#include <map>

#include "zz/stage.hpp"

namespace {

struct PowerGatingStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.test.PowerGatingStage",
      .name = "PowerGatingStage",
      .summary = "switches cores off while they wait",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};
  double saved = 0.5;
  bool inside = false;
  static constexpr auto params =
      zz::params(zz::param<&PowerGatingStage::saved>("saved", "energy that a waiting core does not need")
                     .unit("pJ/cycle"),
                 zz::param<&PowerGatingStage::inside>("inside",
                                                      "changes the energy of the schedule as well, "
                                                      "which its lists do not add up to"));
  static constexpr const char* writes[] = {"energy_total", "idle_cycles"};

  zz::Results run(zz::Value ctx) {
    for (zz::Result& result : substage(ctx)) {
      const zz::Ref schedule = result.evaluation["schedule"];
      std::map<int64_t, double> busy;
      for (const zz::Ref node : schedule["nodes"])
        busy[node["core"].i64()] += node["end"].num() - node["start"].num();
      double idle = 0;
      for (const auto& [core, cycles] : busy) idle += schedule["latency"].num() - cycles;
      const double energy = result.evaluation["energy_total"].num() - saved * idle;
      zz::Value gated = zz::with(result.evaluation, {{"energy_total", energy}, {"idle_cycles", idle}});
      if (inside) gated = zz::with(gated, {{"schedule.energy", energy}});
      co_yield zz::Result(std::move(gated), result.extra);
    }
  }
};

}  // namespace

ZZ_PLUGIN("org.test.power_gating", PowerGatingStage)
