#include "plugins/internal/core_errors.hpp"
#include "plugins/onnx/layer_splitting_stage.hpp"
#include "plugins/onnx/onnx_model_parser_stage.hpp"
#include "plugins/onnx/stream_onnx_model_parser_stage.hpp"

ZZ_PLUGIN("org.zz.onnx", zz::plugins::ONNXModelParserStage, zz::plugins::StreamONNXModelParserStage,
          zz::plugins::LayerSplittingStage)
