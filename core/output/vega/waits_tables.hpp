#pragma once
#include <span>
#include <string>

#include "core/output/vega/vega_tables.hpp"

namespace zz::core {

struct NamedSchedule {
  std::string name;                    ///< "before"; "" when there is but one
  const VegaTables* tables = nullptr;  ///< its tables `schedule` and `times`, as schedule_plot_tables()
};

/// What resources do with their cycles, those of several schedules side by side:
///   bars  {bar, label, latency}    resources in the order of the first schedule that has them
///   times {bar, use, cycles}
VegaTables waits_tables(std::span<const NamedSchedule> schedules);

}  // namespace zz::core
