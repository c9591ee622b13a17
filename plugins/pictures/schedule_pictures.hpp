#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "core/allocation/allocation_search.hpp"
#include "core/output/vega/schedule_plot.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Writes schedules as they come: `<stem>.html`, the same picture as `<stem>.vg.json`, and
/// `<stem>.perfetto.json`. The second schedule has the stem `<stem>_2`, and so on. [any]
class SchedulePictures {
 public:
  /// Beyond `limit` schedules nothing is written, and a warning says so.
  void set(std::string stem, const core::SchedulePlotOptions& options, std::int64_t limit);
  /// Shows the schedule that an earlier run drew, `path` being its `schedule.vg.json`, beside each. Throws
  /// InputError when it is none.
  void compare_with(const std::string& path);
  /// Makes the folder, and throws when files cannot be written there.
  void begin() const;
  /// The evaluation must have a schedule. Throws Error when a file cannot be written.
  void draw(const Stage& stage, const core::Evaluation& evaluation);

 private:
  void draw(const Stage& stage, const core::Evaluation& evaluation, const std::string& stem) const;

  std::string stem_;
  core::SchedulePlotOptions options_;
  std::int64_t limit_ = 0;
  std::shared_ptr<const core::VegaTables> earlier_;  ///< null: none
  std::atomic<std::int64_t> seen_{0};
};

/// Writes what a search found, latency and energy of each point and its allocation, as `<stem>.html` and
/// `<stem>.vg.json`.
void draw_front(const Stage& stage, const std::string& stem, const core::ScheduleProblem& problem,
                const core::AllocationResult& found, bool all_yielded);

}  // namespace zz::plugins
