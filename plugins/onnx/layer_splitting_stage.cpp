#include <fmt/format.h>
#include <string>

#include "core/input/onnx/layer_splitting.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Writes the network with layers whose weights are too large split into several.
class LayerSplittingStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.LayerSplittingStage",
      .name = "LayerSplittingStage",
      .summary = "splits layers whose weights do not fit into a core, and writes the split ONNX model",
      .doc =
          R"(Replaces each layer whose weights do not fit into the weight memory of a core that may run it: by several,
each with an equal part of the output channels, and a Concat of their outputs. With
`split_W_double_buffered` the weights may fill half of the memory, so that the next ones can be loaded
meanwhile. The model is written to `split_onnx_model_path`, and its path is handed down as `workload`, so
that a second StreamONNXModelParserStage below reads it. When every layer fits, nothing is written, and the
parser below reads the original again.

The parts of layer `conv` are called `conv_0`, `conv_1`, ..., which is what a mapping file must name to mean
them; layers behind them have higher ids than in the original.

```yaml
parameters:
  workload: resnet18.onnx
  split_onnx_model_path: outputs/resnet18_split.onnx
  split_W_double_buffered: true
stages: [AcceleratorParserStage, StreamONNXModelParserStage, LayerSplittingStage, StreamONNXModelParserStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC};

  std::string workload_path;
  std::string split_onnx_model_path;
  bool split_W_double_buffered = false;
  static constexpr auto params =
      zz::params(param<&LayerSplittingStage::workload_path>("workload", "the ONNX file of the network")
                     .required()
                     .input_path()
                     .alias("onnx_model_path|workload_path|onnx_model"),
                 param<&LayerSplittingStage::split_onnx_model_path>("split_onnx_model_path",
                                                                    "where the split model is written")
                     .required(),
                 param<&LayerSplittingStage::split_W_double_buffered>(
                     "split_W_double_buffered", "weights may fill half of a memory instead of all of it"));
  static constexpr Port consumes[] = {
      zz::object("workload", "workload", "the network of the file, with the cores for each layer"),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "its weight memories count")};
  static constexpr Port provides[] = {zz::port("workload", ZZ_STR, "path of the split model")};

  Results run(Value ctx);
};

Results LayerSplittingStage::run(Value ctx) {
  const auto network = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator =
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
  const double share = split_W_double_buffered ? 0.5 : 1;
  const std::vector<core::SplitLayer> layers = core::layers_to_split(*network, *accelerator, share);
  Value below = with(ctx, {{"workload"_n, workload_path}});
  if (layers.empty()) {
    log(Level::info, "no layer has to be split");
  } else {
    core::Diagnostics already_told;  // the parser above read the same file
    core::write_split_model(workload_path, layers, split_onnx_model_path, already_told, files_of_run());
    for (const core::SplitLayer& layer : layers)
      log(Level::info, fmt::format("layer {} '{}' is split into {}", layer.id, layer.name, layer.pieces));
    below = with(ctx, {{"workload"_n, split_onnx_model_path}});
  }
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(LayerSplittingStage)

}  // namespace zz::plugins
