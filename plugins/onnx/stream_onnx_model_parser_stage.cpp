#include "plugins/onnx/stream_onnx_model_parser_stage.hpp"

#include <utility>

#include "core/input/stream/stream_onnx_workload.hpp"

namespace zz::plugins {

Results StreamONNXModelParserStage::run(Value ctx) {
  return run_with(core::read_stream_onnx, std::move(ctx));
}

}  // namespace zz::plugins
