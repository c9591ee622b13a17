#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"

#include "tools/check_plugin/plugin_check.hpp"

/// What `zz-host check-plugin` starts, with the arguments that follow the verb.
int main(int argc, char** argv) {
  using namespace zz::host;
  try {
    std::vector<std::string> arguments{"check-plugin"};
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    const Options options = parse_options(arguments);
    std::vector<PluginResult> results;
    bool passed = true;
    for (const std::string& file : options.operands) {
      std::fflush(stdout);  // children would write it again
      results.push_back(check_plugin(file, options.set));
      passed = passed && results.back().passed();
      if (options.format != "json") fmt::print("{}", to_text(results.back(), options.verbose));
    }
    if (options.format == "json") fmt::print("{}", to_json(results));
    if (std::fflush(stdout) != 0) {
      fmt::print(stderr, "zz-host: error: the results could not be written to standard output\n");
      return static_cast<int>(ExitCode::stage_failed);
    }
    return static_cast<int>(passed ? ExitCode::done : ExitCode::plugin);
  } catch (const UsageError& error) {
    fmt::print(stderr, "zz-host: error: {}\n", error.what());
    return static_cast<int>(ExitCode::usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "zz-host: error: {}\n", error.what());
    return static_cast<int>(ExitCode::stage_failed);
  }
}
