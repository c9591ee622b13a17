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

/// One message on stderr. A warning that was given before is counted, not repeated. [any]
void log(LogLevel level, const std::string& text);

/// How many messages were errors. A run in which one was logged has failed, though its results stand.
std::size_t logged_errors();

/// A warning, and how often it was given.
struct Warning {
  std::string text;
  std::uint64_t count = 0;
};
std::vector<Warning> warnings();

/// Says how often repeated warnings came, once, at the end of a run.
void log_repetitions();

/// The extension "zz.log/0".
extern const zz_log log_table;

}  // namespace zz::host
