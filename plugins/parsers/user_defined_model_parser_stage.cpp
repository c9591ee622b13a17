#include <string>
#include <utility>
#include <vector>

#include "core/input/zigzag/workload_yaml.hpp"
#include "plugins/internal/network_parser_stage.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Reads a network for several cores from a YAML file and hands it down as "workload".
class UserDefinedModelParserStage : public NetworkParserStage {
 public:
  static constexpr Description description{
      .id = "org.zz.UserDefinedModelParserStage",
      .name = "UserDefinedModelParserStage",
      .summary = "reads a network for several cores from a YAML file",
      .doc =
          R"(Reads the YAML file `workload`, a list of layers with equation, loop sizes and precisions, and the mapping
file `mapping`, and hands the network down as `workload`. Each layer has its entry of the mapping file,
found by its name or its operator type, whose `core_allocation` says which cores may run it. Results from
below pass unchanged. For networks in ONNX files use StreamONNXModelParserStage.

```yaml
parameters: {workload: layers.yaml, mapping: dual_core.yaml, accelerator: dual_core.yaml}
stages: [AcceleratorParserStage, UserDefinedModelParserStage, GenerateCNWorkloadHybridStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params =
      settings("the workload file (YAML): the layers of the network", yaml_aliases,
               "the mapping file (YAML): which cores, and what is prescribed per layer");

  Results run(Value ctx);
};

Results UserDefinedModelParserStage::run(Value ctx) {
  return run_with(
      [this](const std::string& path, const core::MappingFile& entries, const core::Rules& rules,
             core::Diagnostics& diagnostics) {
        return with_batch(core::read_stream_workload(path, entries, rules, diagnostics, files_of_run()));
      },
      std::move(ctx));
}

}  // namespace

ZZ_PLUGIN_STAGE(UserDefinedModelParserStage)

}  // namespace zz::plugins
