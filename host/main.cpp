#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/problems.hpp"
#include "host/services/crash_handler.hpp"
#include "host/services/last_words.hpp"
#include "host/services/run.hpp"

namespace {

zz::host::LogLevel level_of(const zz::host::Options& options) {
  if (options.verbose) return zz::host::LogLevel::debug;
  return options.quiet ? zz::host::LogLevel::warning : zz::host::LogLevel::info;
}

/// Works also for a command line with errors.
bool wants_json(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--format=json") return true;
    if (arguments[i] == "--format" && i + 1 < arguments.size() && arguments[i + 1] == "json") return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace zz::host;
  install_crash_handler();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (wants_json(arguments)) give_last_words_as_json();
  Run run;
  const WorkingFor working(run);
  int code = 0;
  try {
    const Options options = parse_options(arguments);
    run.log.show(level_of(options), write_on_terminal(use_colour(options.colour, STDERR_FILENO)));
    code = find_verb(options.verb)->run(options);
  } catch (const UsageError& error) {
    tell_error(error.what());
    code = static_cast<int>(ExitCode::usage);
  } catch (const std::exception& error) {
    tell_error(error.what());
    code = static_cast<int>(ExitCode::stage_failed);
  }
  if (code != 0 && wants_json(arguments) && !errors_are_printed()) fmt::print("{}", failed_json(code));
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  tell_error("the results could not be written to standard output");
  return static_cast<int>(ExitCode::stage_failed);
}
