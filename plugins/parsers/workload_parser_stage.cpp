#include "plugins/parsers/workload_parser_stage.hpp"

#include "core/input/zigzag/workload_yaml.hpp"

namespace zz::plugins {

Results WorkloadParserStage::run(Value ctx) {
  const Value below = with_network(ctx, [this](const std::string& path, const core::MappingFile& entries,
                                               core::Diagnostics& diagnostics) {
    return core::read_workload(path, entries, core::rules_of(compat), diagnostics);
  });
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
