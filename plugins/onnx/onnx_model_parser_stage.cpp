#include <string>
#include <utility>
#include <vector>

#include "core/input/onnx/workload.hpp"
#include "plugins/internal/network_parser_stage.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/this_run.hpp"
#include "plugins/onnx/onnx_reading_settings.hpp"

namespace zz::plugins {
namespace {

/// Reads a network from an ONNX file and hands it down as "workload".
class ONNXModelParserStage : public NetworkParserStage, public OnnxReadingSettings {
 public:
  static constexpr Description description{
      .id = "org.zz.ONNXModelParserStage",
      .name = "ONNXModelParserStage",
      .summary = "reads a network from an ONNX file",
      .doc = R"(Reads the ONNX file `workload` and the mapping file `mapping`, and hands the network down as
`workload`: a layer for each product of each operator that multiplies and accumulates, with its entry of the
mapping file. Convolutions of one to three dimensions, transposed and deformable ones, products of matrices of any
rank, Einsum, recurrent layers, attention operators and mixtures of experts do, quantised kinds included. Other
operators stay in the graph for their connections and cost nothing, unless there is a `vector_unit`: then each
operator that works on elements (softmax, normalisations, activations, sums, pooling, ...) is a layer, too, which
WorkloadStage gives to that unit. Results from below pass unchanged.

Above stages for several cores, such as GenerateCNWorkloadHybridStage, it reads the network as
StreamONNXModelParserStage does: pooling and additions are layers, too.

Shapes follow from the inputs of the network: functions are replaced by their bodies, an `If` by the branch that is
taken, loops by their iterations. Weights need not be in the file. Lengths that the file leaves open are given by
`dimensions`. Bits per element are those of the types in which tensors are kept (int4 weights behind a
DequantizeLinear have 4); partial sums have 32. Floating-point types of 16 bits and more, and partial sums, give way to
the `operand_precision` of the accelerator's array, `precision` comes before both, and `operand_precision` before all.

Operators that zz does not know may multiply: they are an error unless `allow_uncosted` has their types. The stages of
`operators` may know them: they are asked about each such node (sdk/examples/custom_operator).

```yaml
parameters:
  workload: bert_encoder.onnx
  mapping: tpu_like.yaml
  dimensions: {batch: 1, sequence: 128}
  operand_precision: {W: 8, I: 8, O: 32, O_final: 8}
stages: [ONNXModelParserStage, AcceleratorParserStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string vector_unit;
  static constexpr auto params = settings(
      "the ONNX file of the network", onnx_aliases, "the mapping file (YAML): what is prescribed per layer",
      param<&ONNXModelParserStage::vector_unit>(
          "vector_unit",
          "the accelerator file of the vector unit, which AcceleratorParserStage reads; without it, "
          "operators that work on elements cost nothing")
          .input_path(),
      dimensions_setting, values_setting, operand_precision_setting, allow_uncosted_setting,
      operators_setting);

  Results run(Value ctx);
};

Results ONNXModelParserStage::run(Value ctx) {
  if (!vector_unit.empty() && !compat.empty())
    throw Error(ZZ_E_INVALID, "'vector_unit' cannot be combined with 'compat': ZigZag has no vector unit");
  core::OnnxSettings settings = onnx_settings(ctx);
  settings.batch = batch;
  std::vector<std::string> named;
  for (const auto& [operand, bits] : settings.operand_precision) named.push_back(operand);
  settings.vector_layers = !vector_unit.empty();
  const bool several_cores = this_run().needed_below(place(), "multi_core_accelerator") != 0;
  if (several_cores && settings.vector_layers)
    throw Error(ZZ_E_INVALID,
                "'vector_unit' is for one core, and stages below spread the network over several: let the "
                "mapping file name the core for 'vector' layers");
  const auto read_network = several_cores ? core::read_stream_onnx : core::read_onnx;
  return run_with(
      [read_network, settings = std::move(settings)](
          const std::string& path, const core::MappingFile& mapping, const core::Rules& rules,
          core::Diagnostics& diagnostics) {
        return read_network(path, mapping, rules, diagnostics, settings, files_of_run());
      },
      std::move(ctx), std::move(named));
}

}  // namespace

ZZ_PLUGIN_STAGE(ONNXModelParserStage)

}  // namespace zz::plugins
