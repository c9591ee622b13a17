#include "plugins/parsers/user_defined_model_parser_stage.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/input/stream/stream_workload_yaml.hpp"

namespace zz::plugins {

Results UserDefinedModelParserStage::run(Value ctx) {
  return run_with(
      [](const std::string& path, const core::MappingFile& mapping, const core::Rules& rules,
         core::Diagnostics& diagnostics) {
        return core::read_stream_workload(path, mapping, rules, diagnostics);
      },
      std::move(ctx));
}

}  // namespace zz::plugins
