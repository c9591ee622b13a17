#pragma once
#include <string>

#include "plugins/iterate/sweep.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Opens the chain below once for each combination of values of parameters.
class GeneralParameterIteratorStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.GeneralParameterIteratorStage",
      .name = "GeneralParameterIteratorStage",
      .summary = "opens the chain below once per combination of parameter values",
      .doc =
          R"(Nested loops over `general_parameter_iterations`, a map of names and lists of values. The first entry is the
slowest loop. Several names in one key, separated by commas, vary together; their values are then lists with one value for
each name. A name is

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
  Results run(Value ctx);

 private:
  Sweep sweep_;
};

}  // namespace zz::plugins
