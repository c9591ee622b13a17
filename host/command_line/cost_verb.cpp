#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "host/base/exit_code.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/component_report.hpp"
#include "host/report/problems.hpp"

namespace zz::host {

int cost_verb(const Options& options) {
  try {
    const ComponentReport report = report_component(options.operands.front(), options.component);
    if (options.format == "json")
      fmt::print("{}\n", core::json_text(component_as_json(report), {.indent = 2}));
    else
      fmt::print("{}", component_as_table(report));
  } catch (const core::InputError& error) {
    tell(error);
    return static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace zz::host
