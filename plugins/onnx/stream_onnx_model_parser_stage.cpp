#include "plugins/onnx/stream_onnx_model_parser_stage.hpp"

#include <utility>

#include "core/input/stream/stream_onnx_workload.hpp"

namespace zz::plugins {

Results StreamONNXModelParserStage::run(Value ctx) {
  core::OnnxSettings settings = onnx_settings(ctx);
  return run_with(
      [settings = std::move(settings)](const std::string& path, const core::MappingFile& mapping,
                                       const core::Rules& rules, core::Diagnostics& diagnostics) {
        return core::read_stream_onnx(path, mapping, rules, diagnostics, settings);
      },
      std::move(ctx));
}

}  // namespace zz::plugins
