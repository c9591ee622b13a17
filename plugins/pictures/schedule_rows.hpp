#pragma once
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::plugins {

/// The bars of a core or a link, for pictures of a schedule.
struct ScheduleBar {
  enum class Kind { node, transfer, block };
  Kind kind = Kind::node;
  int position = 0;  ///< in Schedule::nodes, transfers or blocks
  int row = 0;       ///< index into ScheduleRows::rows
  int lane = 0;      ///< bars of one row that overlap in time are in different lanes
  double start = 0, end = 0;
};

struct ScheduleRow {
  std::string label;  ///< "core 0", "core 1 → core 0", "core 0 ↔ off-chip"; no two alike
  bool link = false;
  int index = 0;    ///< of the core or link
  double busy = 0;  ///< cycles in which something happens
  int lanes = 1;
};

/// The cores that can compute, by id, then the links that are used, by index.
struct ScheduleRows {
  std::vector<ScheduleRow> rows;
  std::vector<ScheduleBar> bars;  ///< by start
};

/// A transfer has a bar on each link of its route that it occupied, a reservation on each link that it
/// holds. The schedule must have its accelerator and graph. Linear but for sorting.
ScheduleRows schedule_rows(const core::Schedule& schedule);

}  // namespace zz::plugins
