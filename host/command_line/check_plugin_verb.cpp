#include <cstdio>
#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"
#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/plugin_check/plugin_check.hpp"

namespace zz::host {

int check_plugin_verb(const Options& options) {
  std::vector<PluginResult> results;
  bool passed = true;
  for (const std::string& file : options.operands) {
    std::fflush(stdout);  // children would write it again
    results.push_back(check_plugin(file, options.set));
    passed = passed && results.back().passed();
    if (options.format != "json") fmt::print("{}", to_text(results.back(), options.verbose));
  }
  if (options.format == "json") fmt::print("{}", to_json(results));
  return static_cast<int>(passed ? ExitCode::done : ExitCode::plugin);
}

}  // namespace zz::host
