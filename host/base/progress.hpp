#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zz::host {

/// The work of a stage, counted in layers, loop orders, ...
struct ProgressTask {
  std::string label;
  std::uint64_t done = 0, total = 0;  ///< total 0: unknown
  unsigned open = 1;                  ///< number of openings of the stage that share it
};

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

/// The share of the outermost task that is done, from 0 to 1. Each inner task is a part of the current step
/// of the task around it. 0 when the total is unknown.
double fraction_done(std::span<const ProgressTask> tasks);

/// "layers 3 of 21 > loop orders 120 of 720 | 1.2e+03 mappings evaluated/s | 15 %, about 2 min left". Tasks
/// are listed from the outside in. The rate is that of the first counter of something "evaluated": others
/// tell what happened, not how fast the run is. `seconds` is the time spent on the outermost task; the time
/// left follows from it. Both are omitted while too little is known, and when all steps are done that were
/// announced, though the work goes on: no line says 100 %.
std::string progress_text(std::span<const ProgressTask> tasks, const Counters& counters, double seconds);

/// Choice of progress on stderr.
enum class ProgressMode { automatic, always, never };

/// The work in progress of a run, and its counters. [any]
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows progress on stderr from now on: one line that is redrawn, on a terminal that can do so or when
  /// the mode is `always`; else a new line every half minute. Before the run.
  void start_display(ProgressMode mode);
  /// Erases the line before other output.
  void clear_line();
  /// Stops the display and erases the line.
  void stop_display();

  /// The words of progress_text() on the work; "" when there is none.
  std::string text() const;
  /// The share of the work that is done, from 0 to 1; 0 when it is unknown.
  double fraction() const;
  /// The counters of stages ("mappings evaluated"), sorted by name, because threads create them in any
  /// order.
  Counters counters() const;

  /// A task of the stage at `at`, which is only a key: opened, advanced and ended by it. Steps beyond the
  /// total are not counted.
  void begin(const void* at, std::string_view label, std::uint64_t total);
  void advance(const void* at, std::uint64_t steps);
  void end(const void* at);
  void count(std::string_view what, std::uint64_t amount);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zz::host
