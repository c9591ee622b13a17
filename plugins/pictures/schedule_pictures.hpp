#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/multicore/search/schedule_search.hpp"
#include "plugins/pictures/front_tables.hpp"
#include "plugins/pictures/schedule_tables.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Writes schedules as they come: `<stem>.html`, the same picture as `<stem>.vg.json`, and
/// `<stem>.perfetto.json`. The second schedule has the stem `<stem>_2`, and so on. [any]
class SchedulePictures {
 public:
  /// Beyond `limit` schedules nothing is written, and a warning says so.
  void set(std::string stem, const SchedulePlotOptions& options, std::int64_t limit);
  /// Shows the schedule that an earlier run drew, `path` being its `schedule.vg.json`, beside each. Throws
  /// InputError when it is none.
  void compare_with(const std::string& path);
  /// Makes the folder, and throws when files cannot be written there.
  void begin() const;
  /// The evaluation must have a schedule. Throws Error when a file cannot be written.
  void draw(const Stage& stage, const core::Evaluation& evaluation);
  /// Writes `<stem>.html` and `<stem>.vg.json` with all schedules that were drawn, latency against energy,
  /// when there are several and some are new. Throws Error when a file cannot be written.
  void draw_front(const Stage& stage, const std::string& stem);

 private:
  void draw(const Stage& stage, const core::Evaluation& evaluation, const PointBounds& bounds,
            const std::string& stem) const;

  std::string stem_;
  SchedulePlotOptions options_;
  std::int64_t limit_ = 0;
  std::shared_ptr<const VegaTables> earlier_;  ///< null: none
  std::atomic<std::int64_t> seen_{0};

  std::mutex mutex_;                              ///< guards what follows
  std::map<std::int64_t, SchedulePoint> points_;  ///< by the number of the schedule
  std::size_t in_front_ = 0;                      ///< number in the last front that was drawn
};

/// Writes what a search found, latency and energy of each point and its allocation, as `<stem>.html` and
/// `<stem>.vg.json`.
void draw_front(const Stage& stage, const std::string& stem, const core::ScheduleProblem& problem,
                const core::ScheduleSearchResult& found, bool all_yielded);

}  // namespace zz::plugins
