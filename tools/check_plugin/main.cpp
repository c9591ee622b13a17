#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "host/base/exit_code.hpp"
#include "host/base/standard_output.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/program.hpp"

#include "tools/check_plugin/plugin_check.hpp"

namespace {

using namespace zz::host;

int check(const Options& options) {
  for (const std::string& assignment : options.set) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format("'--set {}' is not of the form key=value", assignment));
  }
  GivenValues given{options.set, {}};
  for (const std::string& input : options.inputs) given.inputs.push_back(input_file(input));
  std::vector<PluginResult> results;
  bool passed = true;
  for (const std::string& file : options.operands) {
    std::fflush(standard_output());  // children would write it again
    results.push_back(check_plugin(file, given));
    passed = passed && results.back().passed();
    if (options.format != "json")
      fmt::print(standard_output(), "{}", to_text(results.back(), options.verbose));
  }
  const ExitCode code = passed ? ExitCode::done : ExitCode::plugin;
  if (options.format == "json") fmt::print(standard_output(), "{}", to_json(results, code));
  return static_cast<int>(code);
}

}  // namespace

/// The program that `zz-host check-plugin` starts, with the arguments that follow the verb.
int main(int argc, char** argv) {
  std::vector<std::string> arguments{"check-plugin"};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  return run_program(arguments, check);
}
