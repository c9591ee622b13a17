#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <unistd.h>

#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/services/crash_handler.hpp"

namespace {

zz::host::LogLevel level_of(const zz::host::Options& options) {
  if (options.verbose) return zz::host::LogLevel::debug;
  return options.quiet ? zz::host::LogLevel::warning : zz::host::LogLevel::info;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace zz::host;
  install_crash_handler();
  try {
    const Options options = parse_options({argv + 1, argv + argc});
    start_log(level_of(options), use_colour(options.colour, STDERR_FILENO));
    const int code = find_verb(options.verb)->run(options);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      fmt::print(stderr, "zz-host: error: the results could not be written to standard output\n");
      return static_cast<int>(ExitCode::stage_failed);
    }
    return code;
  } catch (const UsageError& error) {
    fmt::print(stderr, "zz-host: error: {}\n", error.what());
    return static_cast<int>(ExitCode::usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "zz-host: error: {}\n", error.what());
    return static_cast<int>(ExitCode::stage_failed);
  }
}
