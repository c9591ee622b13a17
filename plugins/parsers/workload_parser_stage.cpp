#include <string>
#include <utility>

#include "core/input/zigzag/workload_yaml.hpp"
#include "plugins/internal/network_parser_stage.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Reads a network from a YAML file and hands it down as "workload".
class WorkloadParserStage : public NetworkParserStage {
 public:
  static constexpr Description description{
      .id = "org.zz.WorkloadParserStage",
      .name = "WorkloadParserStage",
      .summary = "reads a network from a YAML file",
      .doc =
          R"(Reads the YAML file `workload`, a list of layers with equation, loop sizes and precisions, and the
mapping file `mapping`, and hands the network down as `workload`, each layer with its entry of the mapping
file. Results from below pass unchanged. For networks in ONNX files use ONNXModelParserStage.

```yaml
parameters: {workload: gemm_layer.yaml, mapping: gemm.yaml}
stages: [WorkloadParserStage, AcceleratorParserStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params =
      settings("the workload file (YAML): the layers of the network", yaml_aliases,
               "the mapping file (YAML): what is prescribed per layer");

  Results run(Value ctx);
};

Results WorkloadParserStage::run(Value ctx) {
  return run_with(
      [this](const std::string& path, const core::MappingFile& entries, const core::Rules& rules,
             core::Diagnostics& diagnostics) {
        return with_batch(core::read_workload(path, entries, rules, diagnostics, files_of_run()));
      },
      std::move(ctx));
}

}  // namespace

ZZ_PLUGIN_STAGE(WorkloadParserStage)

}  // namespace zz::plugins
