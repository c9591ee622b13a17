#pragma once
#include <string>

#include "plugins/internal/compatibility.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Reads a network from a YAML file and hands it down as "workload".
class WorkloadParserStage : public Stage {
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

  std::string workload;
  std::string mapping;
  std::string compat;
  static constexpr auto params =
      zz::params(param<&WorkloadParserStage::workload>(
                     "workload", "the workload file (YAML): the layers of the network")
                     .required()
                     .input_path()
                     .alias("workload_path"),
                 param<&WorkloadParserStage::mapping>(
                     "mapping", "the mapping file (YAML): what is prescribed per layer")
                     .required()
                     .input_path()
                     .alias("mapping_path"),
                 param<&WorkloadParserStage::compat>("compat", compat_doc).allowed(compat_allowed));
  static constexpr Port provides[] = {
      zz::object("workload", "workload", "the network: layers and data-flow edges")};

  Results run(Value ctx);
};

}  // namespace zz::plugins
