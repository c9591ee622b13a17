#include "plugins/parsers/user_defined_model_parser_stage.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/input/zigzag/workload_yaml.hpp"
#include "plugins/internal/deviations.hpp"

namespace zz::plugins {

Results UserDefinedModelParserStage::run(Value ctx) {
  return run_with(
      [](const std::string& path, const core::MappingFile& mapping, const core::Rules& rules,
         core::Diagnostics& diagnostics) {
        std::vector<std::string> unfed;
        core::Workload network = core::read_stream_workload(path, mapping, rules, diagnostics, &unfed);
        if (!rules.unfed_operands_lost)
          for (const std::string& layer : unfed)
            tell_of_deviations({&core::Rules::unfed_operands_lost}, layer);
        return network;
      },
      std::move(ctx));
}

}  // namespace zz::plugins
