#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>

#include "core/base/text.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/other_tools/accelforge_architecture.hpp"
#include "plugins/other_tools/accelforge_workload.hpp"
#include "plugins/other_tools/level_stack.hpp"

namespace zz::plugins {
namespace {

/// Reads the inputs of AccelForge and hands network and accelerator down.
class AccelForgeStage : public Stage, public ClockSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.AccelForgeStage",
      .name = "AccelForgeStage",
      .summary = "reads workloads of Einsums and architectures of AccelForge",
      .doc =
          R"(Stands in the place of WorkloadParserStage and AcceleratorParserStage. Reads the Einsums and the
`arch` of AccelForge and hands down `workload` and `accelerator`. Results from below pass unchanged.

Each Einsum of two inputs is a layer, whose loops are its rank variables in upper case; what reads one tensor has no
cost. Each fanout is a dimension of the array, D1 the outermost; `reuse` and `loop_bounds` say which loops it may take.
The stages below search mappings.

Templates are expanded as far as names and numbers go: `values` gives what stands for names. Energies that a file leaves
to component models are open; ComponentCostStage fills them with forms of zz. docs/other-tools.md has all that is read,
and what is refused.

```yaml
parameters: {einsums: alexnet.yaml, architecture: nvdla.yaml, values: {BATCH_SIZE: 1}}
stages: [AccelForgeStage, WorkloadStage, MinimalEnergyStage, SpatialMappingGeneratorStage, MinimalEnergyStage,
         LomaStage, CostModelStage]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string einsums;
  std::string architecture;
  Value values;
  using Self = AccelForgeStage;
  static constexpr auto params = zz::params(
      param<&Self::einsums>("einsums", "AccelForge's workload (YAML)").required().input_path(),
      param<&Self::architecture>("architecture", "AccelForge's architecture (YAML); may be the same file")
          .required()
          .input_path(),
      param<&Self::values>("values", "what names in templates stand for: {BATCH_SIZE: 1}"),
      clock_period_setting, clock_setting);
  static constexpr Port provides[] = {
      zz::object("workload", "workload", "the network: layers, pass-through operators and data-flow edges"),
      zz::object(
          "accelerator", "accelerator",
          "the array of arithmetic units and the memories around it; absent when there are several cores"),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "the cores and how they are joined")};

  void prepare() const { period(); }
  Results run(Value ctx);

 private:
  TemplateValues template_values() const;
};

TemplateValues AccelForgeStage::template_values() const {
  TemplateValues made;
  if (values.is_null()) return made;
  if (values.kind() != ZZ_MAP)
    throw Error(ZZ_E_INVALID, fmt::format("'values' must be a map such as {{BATCH_SIZE: 1}}, found {}",
                                          core::shown_text(values.json())));
  for (uint32_t i = 0; i < values.size(); ++i) {
    const Ref value = values.at(i);
    made[std::string(values.key(i))] = value.kind() == ZZ_STR ? std::string(value.str()) : value.json();
  }
  return made;
}

Results AccelForgeStage::run(Value ctx) {
  const core::Files& files = files_of_run();
  const TemplateValues given = template_values();
  core::Diagnostics diagnostics, problems;
  AccelForgeWorkload read = read_accelforge_workload(einsums, given, diagnostics, files);
  const LevelStack stack = read_accelforge_architecture(architecture, given, read, diagnostics, files);
  core::Workload network = workload_of(read, "accelforge", problems);
  problems.throw_if_errors();
  log_warnings(*this, diagnostics);
  core::Accelerator made = accelerator_of(stack);
  made.clock_period = chosen_clock(*this, made.clock_period, made.name);
  const auto one = std::make_shared<const core::Accelerator>(std::move(made));
  const Value below = with(ctx, {{"workload"_n, wrap(std::move(network))},
                                 {"accelerator"_n, wrap(one)},
                                 {"multi_core_accelerator"_n, wrap(core::single_core(one))}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(AccelForgeStage)

}  // namespace zz::plugins
