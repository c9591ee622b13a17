#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace zz::host {

/// The work of a stage, counted in layers, loop orders, ...
struct ProgressTask {
  std::string label;
  std::uint64_t done = 0, total = 0;  ///< total 0: unknown
  unsigned open = 1;                  ///< how many openings of the stage share it
};

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

/// The share of the outermost task that is done, from 0 to 1. Each inner task is a part of the current step
/// of the task around it. 0 when the total is unknown.
double fraction_done(std::span<const ProgressTask> tasks);

/// "layers 3 of 21 > loop orders 120 of 720 | 1.2e+03 mappings evaluated/s | 15 %, about 2 min left". Tasks
/// are listed from the outside in. `seconds` is the time spent on the outermost task; the time left follows
/// from it, and is omitted while too little is known.
std::string progress_text(std::span<const ProgressTask> tasks, const Counters& counters, double seconds);

}  // namespace zz::host
