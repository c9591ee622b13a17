#include "plugins/onnx/layer_splitting_stage.hpp"

#include <fmt/format.h>

#include "core/input/onnx/layer_splitting.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {

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
    core::write_split_model(workload_path, layers, split_onnx_model_path, already_told);
    for (const core::SplitLayer& layer : layers)
      log(Level::info, fmt::format("layer {} '{}' is split into {}", layer.id, layer.name, layer.pieces));
    below = with(ctx, {{"workload"_n, split_onnx_model_path}});
  }
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
