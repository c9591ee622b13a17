#include <memory>
#include <string>
#include <utility>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/other_tools/einsum_layer.hpp"
#include "plugins/other_tools/timeloop_architecture.hpp"
#include "plugins/other_tools/timeloop_mapping.hpp"
#include "plugins/other_tools/timeloop_problem.hpp"

namespace zz::plugins {
namespace {

/// Reads the inputs of Timeloop and hands network and accelerator down.
class TimeloopStage : public Stage, public ClockSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.TimeloopStage",
      .name = "TimeloopStage",
      .summary = "reads problems, architectures and mappings of Timeloop 0.4",
      .doc =
          R"(Stands in the place of WorkloadParserStage and AcceleratorParserStage. Reads a `problem` and an
`architecture` of Timeloop, version 0.4, and hands down `workload`, of one layer, and `accelerator`. Results from below
pass unchanged.

Loops have the names of the dimensions, in upper case. Each mesh of a node is a dimension of the array, D1 the
outermost; spatial constraints that forbid a loop there are kept. `timeloop_mapping` is a mapping of Timeloop, or
constraints in a file of their own: it becomes the unrolling and the order of the loops. What it leaves open is searched
below.

`energies` is the energy reference table that Accelergy writes; without it energies are 0. docs/other-tools.md has all
that is read, and what is refused.

```yaml
parameters: {problem: problem.yaml, architecture: arch.yaml, energies: timeloop-mapper.ERT.yaml}
stages: [TimeloopStage, WorkloadStage, MinimalLatencyStage, SpatialMappingGeneratorStage, MinimalLatencyStage,
         LomaStage, CostModelStage]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string problem;
  std::string architecture;
  std::string energies;
  std::string mapping;
  using Self = TimeloopStage;
  static constexpr auto params = zz::params(
      param<&Self::problem>("problem", "Timeloop's problem (YAML)").required().input_path(),
      param<&Self::architecture>("architecture", "Timeloop's architecture (YAML)").required().input_path(),
      param<&Self::energies>("energies", "Accelergy's energy reference table (YAML); empty: no energies")
          .input_path(),
      param<&Self::mapping>("timeloop_mapping",
                            "Timeloop's mapping or constraints (YAML); empty: all is searched")
          .input_path(),
      clock_period_setting, clock_setting);
  static constexpr Port provides[] = {
      zz::object("workload", "workload", "the network: layers, pass-through operators and data-flow edges"),
      zz::object("accelerator", "accelerator", "the array of arithmetic units and the memories around it"),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "the cores and how they are joined")};

  void prepare() const { period(); }
  Results run(Value ctx);
};

Results TimeloopStage::run(Value ctx) {
  const core::Files& files = files_of_run();
  core::Diagnostics diagnostics;
  Einsum einsum = read_timeloop_problem(problem, diagnostics, files);
  TimeloopDirectives directives;
  if (!mapping.empty()) directives = read_timeloop_directives(mapping, diagnostics, files);
  const TimeloopArchitecture read = read_timeloop_architecture(
      architecture, energies, directives.keeping, directives.whole, einsum, diagnostics, files);
  core::Diagnostics problems;
  auto layer = std::make_shared<core::Layer>(layer_of(einsum, problems));
  problems.throw_if_errors();
  layer->sparsity = einsum.sparsity;
  const core::LayerMapping prescribed = mapping_of(directives, read, einsum);
  layer->mapping.spatial_hints = prescribed.spatial_hints;
  layer->mapping.spatial_mapping = prescribed.spatial_mapping;
  layer->mapping.temporal_ordering = prescribed.temporal_ordering;
  log_warnings(*this, diagnostics);
  core::Workload network;
  network.name = layer->name;
  network.node_order = {layer->id};
  network.layers = {std::move(layer)};
  core::Accelerator made = accelerator_of(read.stack);
  made.clock_period = chosen_clock(*this, made.clock_period, made.name);
  const auto one = std::make_shared<const core::Accelerator>(std::move(made));
  const Value below = with(ctx, {{"workload"_n, wrap(std::move(network))},
                                 {"accelerator"_n, wrap(one)},
                                 {"multi_core_accelerator"_n, wrap(core::single_core(one))}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(TimeloopStage)

}  // namespace zz::plugins
