#include "plugins/parsers/user_defined_model_parser_stage.hpp"

#include <utility>

#include "core/input/stream/stream_workload_yaml.hpp"

namespace zz::plugins {

Results UserDefinedModelParserStage::run(Value ctx) {
  return run_with(core::read_stream_workload, std::move(ctx));
}

}  // namespace zz::plugins
