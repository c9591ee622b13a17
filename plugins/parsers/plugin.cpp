#include "plugins/internal/core_errors.hpp"
#include "plugins/parsers/accelerator_parser_stage.hpp"
#include "plugins/parsers/onnx_model_parser_stage.hpp"
#include "plugins/parsers/stream_onnx_model_parser_stage.hpp"
#include "plugins/parsers/user_defined_model_parser_stage.hpp"
#include "plugins/parsers/workload_parser_stage.hpp"

ZZ_PLUGIN("org.zz.parsers", zz::plugins::ONNXModelParserStage, zz::plugins::WorkloadParserStage,
          zz::plugins::AcceleratorParserStage, zz::plugins::StreamONNXModelParserStage,
          zz::plugins::UserDefinedModelParserStage)
