#include <utility>
#include <vector>

#include "core/input/onnx/workload.hpp"
#include "plugins/internal/network_parser_stage.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/onnx/onnx_reading_settings.hpp"

namespace zz::plugins {
namespace {

/// Reads a network for several cores from an ONNX file and hands it down as "workload".
class StreamONNXModelParserStage : public NetworkParserStage, public OnnxReadingSettings {
 public:
  static constexpr Description description{
      .id = "org.zz.StreamONNXModelParserStage",
      .name = "StreamONNXModelParserStage",
      .summary = "reads a network for several cores from an ONNX file",
      .doc =
          R"(Reads the ONNX file `workload` and the mapping file `mapping`, and hands the network down as `workload`.
What runs on a core becomes a layer with its entry of the mapping file, whose `core_allocation` says which
cores may run it: everything that multiplies and accumulates (as with ONNXModelParserStage), pooling, and Add and
Mul of two tensors of one shape. Other operators that work on elements or rows (activations, Softmax,
normalisations, reductions, additions that repeat a tensor) are layers when the mapping file has an entry for
them: by the name of the node, by the operator type, or by `vector`, which means them all. Entries mean a layer by
the name of its node, as `Layer<id>`, or by its operator type.

Every other operator costs nothing. It stays for its connections and for where it puts the elements of its data:
these are followed through Reshape, Transpose, Slice, Split, Expand, Tile, Gather, Concat, Pad and the like, and a
layer waits for those that it reads. Where they cannot be followed (a Gather by data, a TopK, a Softmax over rows
that several cores write) it waits for all. Inputs of the network, caches of keys and values too, come from off chip.

Lengths that the file leaves open are given by `dimensions`. Bits per element are those of the types in which
tensors are kept, unless `precision` or `operand_precision` says otherwise; its `O` is for products and sums, not for
pooling.
Results from below pass unchanged.

```yaml
parameters:
  workload: resnet18.onnx
  mapping: quad_core.yaml
  accelerator: quad_core.yaml
  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}
stages: [AcceleratorParserStage, StreamONNXModelParserStage, GenerateCNWorkloadHybridStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params =
      settings("the ONNX file of the network", onnx_aliases,
               "the mapping file (YAML): which cores, and what is prescribed per layer", dimensions_setting,
               values_setting, operand_precision_setting, allow_uncosted_setting, operators_setting);

  Results run(Value ctx);
};

Results StreamONNXModelParserStage::run(Value ctx) {
  core::OnnxSettings settings = onnx_settings(ctx);
  settings.batch = batch;
  std::vector<std::string> named;
  for (const auto& [operand, bits] : settings.operand_precision) named.push_back(operand);
  return run_with(
      [settings = std::move(settings)](const std::string& path, const core::MappingFile& mapping,
                                       const core::Rules& rules, core::Diagnostics& diagnostics) {
        return core::read_stream_onnx(path, mapping, rules, diagnostics, settings, files_of_run());
      },
      std::move(ctx), std::move(named));
}

}  // namespace

ZZ_PLUGIN_STAGE(StreamONNXModelParserStage)

}  // namespace zz::plugins
