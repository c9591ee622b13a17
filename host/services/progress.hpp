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

/// The sums of what stages counted ("mappings evaluated"), in the order in which they first came.
std::vector<std::pair<std::string, std::uint64_t>> counters();

/// Tells what the best result so far is, for the line of progress: "12.3 uJ, 4.5e6 cycles". [any]
void show_best(const std::string& text);

/// The extension "zz.progress/0".
extern const zz_progress progress_table;

}  // namespace zz::host
