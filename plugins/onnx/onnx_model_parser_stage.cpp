#include "plugins/onnx/onnx_model_parser_stage.hpp"

#include <utility>

#include "core/input/onnx/onnx_workload.hpp"

namespace zz::plugins {

Results ONNXModelParserStage::run(Value ctx) { return run_with(core::read_onnx, std::move(ctx)); }

}  // namespace zz::plugins
