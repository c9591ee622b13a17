#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "zz/stage_abi.h"

namespace zz::host {

/// Whether progress is shown on stderr.
enum class ProgressMode { automatic, always, never };

/// Shows progress from now on: one line that is redrawn, on a terminal that can do so or when the mode is
/// `always`; else a new line every half minute. To be called before the run. [main]
void start_progress(ProgressMode mode);
/// Erases the line before other output. [any]
void clear_progress_line();
/// Stops the display and erases the line. [main]
void stop_progress();

/// The counters of stages ("mappings evaluated"), sorted by name, because threads create them in any order.
std::vector<std::pair<std::string, std::uint64_t>> counters();

/// The extension "zz.progress/0".
extern const zz_progress progress_table;

}  // namespace zz::host
