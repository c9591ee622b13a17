#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugins/explore/point_runner.hpp"
#include "plugins/explore/point_settings.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Opens the chain below once for each combination of values of parameters.
class GeneralParameterIteratorStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.GeneralParameterIteratorStage",
      .name = "GeneralParameterIteratorStage",
      .summary = "opens the chain below once per combination of parameter values",
      .doc =
          R"(Nested loops over `general_parameter_iterations`, a map of names and lists of values. The first entry is the
slowest loop. Several names in one key, separated by commas, vary together; their values are then lists with one value
for each name. A name is

* a setting of a stage below, which sees the value as if the pipeline said it (the setting must not be fixed at
  the stage itself); paths of files count from the pipeline file;
* a path into an object that a stage above provides: `accelerator.memories[l1].size`,
  `accelerator.operational_array.dimensions[D1].size`, ...

Names that no stage below knows, and values out of range, are told before anything runs.

Yields (evaluation, [settings, extra]) for each result from below, with the settings as a list of [name, value].
A point that nothing can be mapped on ends the run, or is left out with a warning when `infeasible_points` is `skip`.
Result files of different points have the same names, so vary `dump_folder` along when there is a saver below:

```yaml
parameters:
  general_parameter_iterations:
    accelerator.memories[l1].size: [65536, 131072]
    loma_lpf_limit, dump_folder: [[4, outputs/quick], [8, outputs/thorough]]
stages:
  - WorkloadParserStage
  - AcceleratorParserStage
  - GeneralParameterIteratorStage
  - SimpleSaveStage
  - SumStage
  - WorkloadStage
  - ...
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Value general_parameter_iterations;
  std::string infeasible_points = "stop";
  static constexpr auto params = zz::params(
      param<&GeneralParameterIteratorStage::general_parameter_iterations>(
          "general_parameter_iterations",
          "the parameters to vary: {name: [values]}, {\"name, name\": [[value, value]]}; first is slowest")
          .required(),
      param<&GeneralParameterIteratorStage::infeasible_points>(
          "infeasible_points", "what to do when nothing can be mapped with some combination of values")
          .allowed("stop|skip"));
  static constexpr Port provides[] = {zz::any_port("the parameters that are varied")};

  void prepare();
  void check(Value ctx) const;
  Results run(Value ctx);

 private:
  void warn_of_widths(const Value& ctx) const;

  core::DesignSpace space_;
  mutable std::atomic<bool> warned_of_widths_ = false;
};

void GeneralParameterIteratorStage::prepare() {
  space_ = space_of(general_parameter_iterations, "general_parameter_iterations");
}

void GeneralParameterIteratorStage::warn_of_widths(const Value& ctx) const {
  if (!warned_of_widths_.exchange(true)) warn_of_width_without_cost(*this, space_.names(), ctx);
}

/// A path that leads nowhere, or to a part of another kind, is a mistake in the pipeline and not a property
/// of a point.
bool is_slip(const Error& failure) { return failure.code == ZZ_E_MISSING || failure.code == ZZ_E_TYPE; }

/// Tries every step of each axis beside the first ones of the others: all of them are points.
void GeneralParameterIteratorStage::check(Value ctx) const {
  warn_of_widths(ctx);
  std::uint64_t stride = space_.size();
  for (const core::DesignAxis& axis : space_.axes()) {
    stride /= axis.steps.size();
    for (std::uint64_t step = 0; step < axis.steps.size(); ++step) {
      const std::vector<PointSetting> settings = settings_of(space_, step * stride);
      const std::vector<Entry> entries = entries_of(settings);
      try {
        with(ctx, std::span<const Entry>(entries));
      } catch (const Error& failure) {
        if (is_slip(failure) || infeasible_points != "skip")
          throw Error(ZZ_E_INVALID, "with " + to_string(settings) + ": " + failure.what());
      }
    }
  }
}

Results GeneralParameterIteratorStage::run(Value ctx) {
  warn_of_widths(ctx);
  Progress display = progress("points", space_.size());
  for (std::uint64_t number = 0; number < space_.size(); ++number) {
    if (cancelled()) throw Error(ZZ_E_CANCELLED, "interrupted");
    const std::vector<PointSetting> settings = settings_of(space_, number);
    const Value shown = as_list(settings);
    const std::vector<Entry> entries = entries_of(settings);
    std::optional<Substage> below;
    Result result;
    for (;;) {
      try {
        if (!below) below.emplace(substage(with(ctx, std::span<const Entry>(entries))));
        if (!below->next(result)) break;
      } catch (const Error& failure) {
        const std::string text = "with " + to_string(settings) + ": " + failure.what();
        if (failure.code == ZZ_E_CANCELLED) throw;
        if (!below && is_slip(failure)) throw Error(ZZ_E_INVALID, text);
        if (infeasible_points != "skip" || !concerns_point(failure)) throw Error(failure.code, text);
        log(Level::warning, text);
        count("infeasible points");
        break;
      }
      const Value extra = make(nullptr, list({shown, result.extra}));
      co_yield Result(std::move(result.evaluation), extra);
    }
    display.advance();
  }
  count("points", space_.size());
}

}  // namespace

ZZ_PLUGIN_STAGE(GeneralParameterIteratorStage)

}  // namespace zz::plugins
