#include "plugins/input/onnx/layer_splitting_stage.hpp"
#include "plugins/input/onnx/onnx_model_parser_stage.hpp"
#include "plugins/input/onnx/stream_onnx_model_parser_stage.hpp"
#include "plugins/input/parsers/accelerator_parser_stage.hpp"
#include "plugins/input/parsers/user_defined_model_parser_stage.hpp"
#include "plugins/input/parsers/workload_parser_stage.hpp"
#include "plugins/internal/core_errors.hpp"

ZZ_PLUGIN("org.zz.input", zz::plugins::ONNXModelParserStage, zz::plugins::StreamONNXModelParserStage,
          zz::plugins::LayerSplittingStage, zz::plugins::WorkloadParserStage,
          zz::plugins::AcceleratorParserStage, zz::plugins::UserDefinedModelParserStage)
