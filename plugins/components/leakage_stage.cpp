#include <atomic>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Adds what leaks while a result runs.
class LeakageStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.LeakageStage",
      .name = "LeakageStage",
      .summary = "adds the energy that leaks while a mapping runs",
      .doc =
          R"(Adds metrics to every result from below: `leakage_energy` = power x latency x cycle time, in pJ,
`energy_with_leakage`, which is `energy_total` and that, and `clock_frequency` in MHz. Other figures stay as they are:
`energy_total` has no leakage.

The power is the setting `leakage_power`, or that of `component_costs` from ComponentCostStage: all memories and
units that it has filled and whose leakage is known, whether a mapping uses them or not. The cycle time is that of the
chip's clock, or the setting `cycle_time`, or the access time of the slowest memory that was filled: the fastest clock
that reads it in one cycle. Results have that clock then, and the power as `leakage_power`: watts count it.

A reducer above may keep what takes the least energy with leakage:

```yaml
stages: [WorkloadParserStage, AcceleratorParserStage, ComponentCostStage, WorkloadStage,
         MinimalMetricStage: {metric: energy_with_leakage}, SpatialMappingGeneratorStage,
         MinimalMetricStage: {metric: energy_with_leakage}, LomaStage, LeakageStage, CostModelStage]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::optional<double> leakage_power;
  std::optional<double> cycle_time;
  static constexpr auto params =
      zz::params(param<&LeakageStage::leakage_power>(
                     "leakage_power", "of the whole accelerator; without it that of its components")
                     .unit("mW")
                     .allowed("[0, inf]"),
                 param<&LeakageStage::cycle_time>(
                     "cycle_time", "of the clock; without it that of the chip, or of the slowest memory")
                     .unit("ns")
                     .allowed("(0, inf]"));
  static constexpr Port consumes[] = {
      zz::port("component_costs", ZZ_MAP, "leakage_power and access_time, where no setting says them")
          .optional()};
  static constexpr Metric metrics[] = {
      zz::metric("leakage_energy", "what leaks during the latency").unit("pJ").column(),
      zz::metric("energy_with_leakage", "energy_total and leakage_energy").unit("pJ").column(),
      zz::metric("leakage_power", "of the whole accelerator").unit("mW").largest(),
      zz::metric("clock_frequency", "of the cycle time that leakage is counted with")
          .unit("MHz")
          .largest()};

  Results run(Value ctx);

 private:
  std::atomic<bool> told_{false};
  double cycle_of(const Value& evaluation, const Value& ctx);
  double figure(const Value& ctx, const std::optional<double>& setting, const char* name,
                const char* of_components) const;
};

double LeakageStage::figure(const Value& ctx, const std::optional<double>& setting, const char* name,
                            const char* of_components) const {
  if (setting) return *setting;
  const Ref costs = ctx["component_costs"_n];
  const double known = costs.is_null() ? 0 : costs[of_components].num(0);
  if (known > 0) return known;
  throw Error(ZZ_E_INVALID, std::string("'") + name + "' is not set, and " +
                                (costs.is_null() ? "no ComponentCostStage stands above"
                                                 : "nobody knows it of the components of the accelerator"));
}

/// A clock that is told of the chip is that of all figures; one that the model of an in-memory array gives
/// is not.
double LeakageStage::cycle_of(const Value& evaluation, const Value& ctx) {
  const double clock = evaluation["clock_period"_n].num(0);
  const bool is_modelled = !evaluation["imc"_n].is_null();
  if (!(clock > 0) || (cycle_time && is_modelled))
    return figure(ctx, cycle_time, "cycle_time", "access_time");
  if (cycle_time && *cycle_time != clock && !told_.exchange(true))
    log(Level::warning,
        fmt::format("'cycle_time' is {:g} ns, and the chip has a clock of {:g} ns, which counts; "
                    "leave 'cycle_time' out",
                    *cycle_time, clock));
  return clock;
}

Results LeakageStage::run(Value ctx) {
  const double power = figure(ctx, leakage_power, "leakage_power", "leakage_power");
  constexpr double mhz_of_ns = 1000;
  for (Result& result : substage(ctx)) {
    const double cycle = cycle_of(result.evaluation, ctx);
    // mW times ns are pJ.
    const double leaked = power * result.evaluation["latency_total2"_n].num() * cycle;
    result.evaluation = with(result.evaluation,
                             {{"leakage_energy"_n, leaked},
                              {"energy_with_leakage"_n, result.evaluation["energy_total"_n].num() + leaked},
                              {"clock_frequency"_n, mhz_of_ns / cycle},
                              {"clock_period"_n, cycle},
                              {"leakage_power"_n, power}});
    co_yield std::move(result);
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(LeakageStage)

}  // namespace zz::plugins
