#include <fmt/format.h>
#include <numeric>

#include "host/report/run_summary.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {

std::string times_table(const RunSummary& summary) {
  const double all = std::accumulate(summary.times.begin(), summary.times.end(), 0.0,
                                     [](double sum, const TimeSpent& time) { return sum + time.seconds; });
  TextTable table({{"time spent on"}, {"[ms]", true}, {"share", true}, {"calls", true}});
  for (const TimeSpent& time : summary.times)
    table.add_row({time.what, fmt::format("{:.3f}", 1e3 * time.seconds),
                   fmt::format("{:.1f} %", 100 * time.seconds / all), fmt::format("{}", time.calls)});
  table.add_rule();
  table.add_row({"all threads", fmt::format("{:.3f}", 1e3 * all), "100.0 %", ""});
  return table.text();
}

}  // namespace zz::host
