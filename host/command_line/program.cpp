#include "host/command_line/program.hpp"

#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/interruption.hpp"
#include "host/base/exit_code.hpp"
#include "host/base/last_words.hpp"
#include "host/base/run.hpp"
#include "host/base/standard_output.hpp"
#include "host/report/problems.hpp"

namespace zz::host {
namespace {

LogLevel level_of(const Options& options) {
  if (options.verbose) return LogLevel::debug;
  return options.quiet ? LogLevel::warning : LogLevel::info;
}

/// Works also for a command line with errors.
bool wants_json(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--format=json") return true;
    if (arguments[i] == "--format" && i + 1 < arguments.size() && arguments[i + 1] == "json") return true;
  }
  return false;
}

int guarded(const std::vector<std::string>& arguments, const std::function<int(const Options&)>& work) {
  try {
    const Options options = parse_options(arguments);
    current_run().refinements = core::refinements_without(options.without);
    current_run().log.show(level_of(options), write_on_terminal(use_colour(options.colour, STDERR_FILENO),
                                                                isatty(STDERR_FILENO) == 1));
    return work(options);
  } catch (const UsageError& error) {
    tell_error(error.what(), ExitCode::usage, error.hint());
    return static_cast<int>(ExitCode::usage);
  } catch (const core::InputError& error) {
    tell(error);
    return static_cast<int>(ExitCode::usage);
  } catch (const core::Interrupted& error) {
    tell_error(error.what(), ExitCode::interrupted);
    return static_cast<int>(ExitCode::interrupted);
  } catch (const std::exception& error) {
    tell_error(error.what());
    return static_cast<int>(ExitCode::stage_failed);
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, const std::function<int(const Options&)>& work) {
  const bool json = wants_json(arguments);
  keep_standard_output_aside();
  give_last_words_as_json(json);
  Run run;
  const WorkingFor working(run);
  const int code = guarded(arguments, work);
  if (code != 0 && json && !errors_are_printed()) fmt::print(standard_output(), "{}", failed_json(code));
  if (std::fflush(standard_output()) == 0 && std::ferror(standard_output()) == 0) {
    give_last_words_as_json(false);  // a library may crash yet, in what it does at exit
    return code;
  }
  tell_error("the results could not be written to standard output");
  return static_cast<int>(ExitCode::stage_failed);
}

}  // namespace zz::host
