#pragma once
#include "plugins/internal/network_parser_stage.hpp"

namespace zz::plugins {

/// Reads a network for several cores from an ONNX file and hands it down as "workload".
class StreamONNXModelParserStage : public NetworkParserStage {
 public:
  static constexpr Description description{
      .id = "org.zz.StreamONNXModelParserStage",
      .name = "StreamONNXModelParserStage",
      .summary = "reads a network for several cores from an ONNX file",
      .doc =
          R"(Reads the ONNX file `workload` and the mapping file `mapping`, and hands the network down as `workload`.
What runs on a core becomes a layer with its entry of the mapping file, whose `core_allocation` says which
cores may run it: Conv, QLinearConv, Gemm, MatMul, pooling, and Add and Mul of two tensors of one shape.
Other operators cost nothing and stay for their connections and, for Reshape, Flatten, Transpose, Gather and
Concat, for what they do to the shape of the data. Entries of the mapping file mean a layer by the name of
its node, as `Layer<id>`, or by its operator type. Results from below pass unchanged.

```yaml
parameters: {workload: resnet18.onnx, mapping: quad_core.yaml, accelerator: quad_core.yaml}
stages: [AcceleratorParserStage, StreamONNXModelParserStage, GenerateCNWorkloadHybridStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params =
      settings("the ONNX file of the network", onnx_aliases,
               "the mapping file (YAML): which cores, and what is prescribed per layer");

  Results run(Value ctx);
};

}  // namespace zz::plugins
