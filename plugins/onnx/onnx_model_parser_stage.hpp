#pragma once
#include "plugins/internal/network_parser_stage.hpp"
#include "plugins/onnx/onnx_reading_settings.hpp"

namespace zz::plugins {

/// Reads a network from an ONNX file and hands it down as "workload".
class ONNXModelParserStage : public NetworkParserStage, public OnnxReadingSettings {
 public:
  static constexpr Description description{
      .id = "org.zz.ONNXModelParserStage",
      .name = "ONNXModelParserStage",
      .summary = "reads a network from an ONNX file",
      .doc = R"(Reads the ONNX file `workload` and the mapping file `mapping`, and hands the network down as
`workload`: one layer for each operator that multiplies and accumulates (Conv, QLinearConv, Gemm, MatMul),
each with its entry of the mapping file. Other operators stay in the graph for their connections and cost
nothing. Unknown shapes are inferred; weights need not be in the file. Results from below pass unchanged.

```yaml
parameters: {workload: resnet18.onnx, mapping: tpu_like.yaml}
stages: [ONNXModelParserStage, AcceleratorParserStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params = settings(
      "the ONNX file of the network", onnx_aliases, "the mapping file (YAML): what is prescribed per layer",
      dimensions_setting, operand_precision_setting, allow_uncosted_setting);

  Results run(Value ctx);
};

}  // namespace zz::plugins
