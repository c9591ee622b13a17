#include "plugins/internal/core_errors.hpp"
#include "plugins/onnx/layer_splitting_stage.hpp"
#include "plugins/onnx/onnx_model_parser_stage.hpp"
#include "plugins/onnx/stream_onnx_model_parser_stage.hpp"
#include "plugins/parsers/accelerator_parser_stage.hpp"
#include "plugins/parsers/user_defined_model_parser_stage.hpp"
#include "plugins/parsers/workload_parser_stage.hpp"

ZZ_PLUGIN("org.zz.input", zz::plugins::ONNXModelParserStage, zz::plugins::StreamONNXModelParserStage,
          zz::plugins::LayerSplittingStage, zz::plugins::WorkloadParserStage,
          zz::plugins::AcceleratorParserStage, zz::plugins::UserDefinedModelParserStage)
