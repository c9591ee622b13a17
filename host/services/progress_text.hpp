#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace zz::host {

/// Work that a stage counts: layers, loop orders, ...
struct ProgressTask {
  std::string label;
  std::uint64_t done = 0, total = 0;  ///< total 0: unknown
  unsigned open = 1;                  ///< how many openings of the stage share it
};

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

/// How much of the outermost task is done, between 0 and 1. A task within it is a part of the step that is
/// being made. 0 when the total is not known.
double fraction_done(std::span<const ProgressTask> tasks);

/// "layers 3 of 21 > loop orders 120 of 720 | 1.2e+03 mappings evaluated/s | 15 %, about 2 min left". Tasks
/// are listed from the outside in. The time left follows from `seconds`, the time spent on the outermost
/// task; it is left out while too little is known.
std::string progress_text(std::span<const ProgressTask> tasks, const Counters& counters, double seconds);

}  // namespace zz::host
