#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "zz/stage_abi.h"

namespace zz::host {

/// Whether progress is shown on stderr.
enum class ProgressMode { automatic, always, never };

/// [main], before the run. Shows a line that is redrawn on a terminal that can do so, and always when that
/// was asked for; elsewhere a whole line every half minute.
void start_progress(ProgressMode mode);
/// Wipes the line, so that other output may follow. [any]
void clear_progress_line();
/// Shows no more, and wipes the line. [main]
void stop_progress();

/// The sums of what stages counted ("mappings evaluated"), by name: threads meet them in any order.
std::vector<std::pair<std::string, std::uint64_t>> counters();

/// The extension "zz.progress/0".
extern const zz_progress progress_table;

}  // namespace zz::host
