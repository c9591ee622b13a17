#include "plugins/internal/core_errors.hpp"
#include "plugins/parsers/accelerator_parser_stage.hpp"
#include "plugins/parsers/user_defined_model_parser_stage.hpp"
#include "plugins/parsers/workload_parser_stage.hpp"

ZZ_PLUGIN("org.zz.parsers", zz::plugins::WorkloadParserStage, zz::plugins::AcceleratorParserStage,
          zz::plugins::UserDefinedModelParserStage)
