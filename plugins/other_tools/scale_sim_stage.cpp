#include <memory>
#include <string>
#include <utility>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/other_tools/scale_sim_config.hpp"
#include "plugins/other_tools/scale_sim_topology.hpp"

namespace zz::plugins {
namespace {

/// Reads the inputs of SCALE-Sim and hands network and accelerator down.
class ScaleSimStage : public Stage, public ClockSetting, public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.ScaleSimStage",
      .name = "ScaleSimStage",
      .summary = "reads topologies and configurations of the simulator SCALE-Sim",
      .doc =
          R"(Stands in the place of WorkloadParserStage and AcceleratorParserStage. Reads the `topology` (.csv) of SCALE-Sim
and its configuration `config` (.cfg), and hands down `workload` and `accelerator`. Results from below pass unchanged.

With `config` alone, layers are what the simulator makes of them: products whose unrolling and order follow from the
dataflow, with an array that fills and drains at each fold. Where memories never keep it waiting
(`InterfaceBandwidth: CALC`), `latency_total0` is the simulator's number of cycles, and one more, because it prints the
number of the last cycle.

With `mapping`, a mapping file of zz, layers are convolutions with windows of their own, and the file says what is
prescribed. `config` may then be left out, with an AcceleratorParserStage below for an accelerator of zz.

SCALE-Sim's files say no energies and no areas: they are 0. docs/other-tools.md has all that is read, and what is
refused.

```yaml
parameters: {topology: alexnet.csv, config: scale.cfg}
stages: [ScaleSimStage, SumStage, WorkloadStage, SpatialMappingGeneratorStage, LomaStage, CostModelStage]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string topology;
  std::string config;
  std::string mapping;
  std::string input_type = "by header";
  using Self = ScaleSimStage;
  static constexpr auto params = zz::params(
      param<&Self::topology>("topology", "SCALE-Sim's topology (.csv): the layers").required().input_path(),
      param<&Self::config>("config",
                           "SCALE-Sim's configuration (.cfg); empty: `mapping` is given, and another stage "
                           "reads the accelerator")
          .input_path(),
      param<&Self::mapping>("mapping",
                            "a mapping file (YAML); empty: the dataflow of `config` prescribes everything")
          .input_path()
          .alias("mapping_path"),
      param<&Self::input_type>("input_type",
                               "what the rows of the topology are: conv: convolutions, gemm: products "
                               "M, N, K")
          .allowed("by header|conv|gemm"),
      compat_setting, clock_period_setting, clock_setting);
  static constexpr Port provides[] = {
      zz::object("workload", "workload", "the network: layers, pass-through operators and data-flow edges"),
      zz::object("accelerator", "accelerator", "the array of arithmetic units and the memories around it")
          .optional(),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "the cores and how they are joined")
          .optional()};

  void prepare() {
    if (config.empty() && mapping.empty())
      throw Error(ZZ_E_INVALID,
                  "nothing says how the layers run: give `config`, SCALE-Sim's configuration, or "
                  "`mapping`, a mapping file");
  }
  Results run(Value ctx);

 private:
  ScaleSimInput input() const {
    if (input_type == "conv") return ScaleSimInput::convolutions;
    return input_type == "gemm" ? ScaleSimInput::products : ScaleSimInput::by_header;
  }
};

Results ScaleSimStage::run(Value ctx) {
  const core::Files& files = files_of_run();
  core::Diagnostics diagnostics;
  Value below = ctx;
  ScaleSimConfig machine;
  if (!config.empty()) {
    machine = read_scale_sim_config(config, files);
    core::Accelerator made = accelerator_of(machine);
    made.clock_period = chosen_clock(*this, made.clock_period, made.name);
    const auto one = std::make_shared<const core::Accelerator>(std::move(made));
    below = with(
        below, {{"accelerator"_n, wrap(one)}, {"multi_core_accelerator"_n, wrap(core::single_core(one))}});
  }
  core::Workload network =
      mapping.empty()
          ? read_scale_sim_topology(topology, input(), machine, diagnostics, files)
          : read_scale_sim_topology(topology, input(), core::read_mapping(mapping, diagnostics, files),
                                    rules(), diagnostics, files);
  log_warnings(*this, diagnostics);
  below = with(below, {{"workload"_n, wrap(std::move(network))}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(ScaleSimStage)

}  // namespace zz::plugins
