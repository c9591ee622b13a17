#include "plugins/internal/core_errors.hpp"
#include "plugins/parsers/accelerator_parser_stage.hpp"
#include "plugins/parsers/onnx_model_parser_stage.hpp"
#include "plugins/parsers/workload_parser_stage.hpp"

ZZ_PLUGIN("org.zz.parsers", zz::plugins::ONNXModelParserStage, zz::plugins::WorkloadParserStage,
          zz::plugins::AcceleratorParserStage)
