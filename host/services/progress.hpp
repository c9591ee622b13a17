#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "host/services/progress_text.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// Whether progress is shown on stderr.
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

  /// What progress_text() says of the work; "" when there is none.
  std::string text() const;
  /// The share of the work that is done, from 0 to 1; 0 when it is unknown.
  double fraction() const;
  /// The counters of stages ("mappings evaluated"), sorted by name, because threads create them in any
  /// order.
  Counters counters() const;

  // The functions of zz_progress.
  void begin(const zz_place* at, std::string_view label, std::uint64_t total);
  void advance(const zz_place* at, std::uint64_t steps);
  void end(const zz_place* at);
  void count(std::string_view what, std::uint64_t amount);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The extension "zz.progress/0".
extern const zz_progress progress_table;

}  // namespace zz::host
