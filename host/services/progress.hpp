#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "zz/stage_abi.h"

namespace zz::host {

/// Whether a line of progress is drawn on stderr.
enum class ProgressMode { automatic, always, never };

/// [main], before the run. Automatic: only on a terminal that can redraw a line.
void start_progress(ProgressMode mode);
/// Wipes the line, so that other output may follow. [any]
void clear_progress_line();
/// Wipes the line for good. [main]
void stop_progress();

/// The sums of what stages counted ("mappings evaluated"), by name: threads meet them in any order.
std::vector<std::pair<std::string, std::uint64_t>> counters();

/// The extension "zz.progress/0".
extern const zz_progress progress_table;

}  // namespace zz::host
