#include "plugins/parsers/workload_parser_stage.hpp"

#include <utility>

#include "core/input/zigzag/workload_yaml.hpp"

namespace zz::plugins {

Results WorkloadParserStage::run(Value ctx) { return run_with(core::read_workload, std::move(ctx)); }

}  // namespace zz::plugins
