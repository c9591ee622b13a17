#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "zz/stage_abi.h"

namespace zz::host {

/// The levels of zz_log.
enum class LogLevel : int { trace = 0, debug, info, warning, error, off };

/// Sets up logging on stderr. [main]
void start_log(LogLevel least, bool colour);
LogLevel log_level();

/// Writes a message on stderr. An equal warning is only counted. [any]
void log(LogLevel level, const std::string& text);

/// The number of logged errors. A run with one has failed, but its results stand.
std::size_t logged_errors();

/// A warning, and how often it was given.
struct Warning {
  std::string text;
  std::uint64_t count = 0;
};
std::vector<Warning> warnings();

/// Logs how often each repeated warning came, at the end of a run.
void log_repetitions();

/// The extension "zz.log/0".
extern const zz_log log_table;

}  // namespace zz::host
