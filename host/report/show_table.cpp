#include <cmath>
#include <fmt/format.h>

#include "host/report/run_summary.hpp"
#include "host/report/show_formats.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {

void show_table(const Selection& selection) {
  SelectedResults results(selection, core::ArchiveReader::As::objects);
  TextTable table({{"result", true},
                   {"layer"},
                   {"energy [pJ]", true},
                   {"latency [cycles]", true},
                   {"utilisation", true},
                   {"unrolling"}});
  std::uint64_t shown = 0;
  const auto add = [&](const SummaryRow& row) {
    table.add_row({fmt::format("{}", results.number()), row.layer, fmt::format("{:.10g}", row.energy),
                   fmt::format("{:.10g}", row.latency),
                   std::isnan(row.utilization) ? "-" : fmt::format("{:.2f} %", 100 * row.utilization),
                   row.unrolling});
  };
  while (results.next()) {
    ++shown;
    const SummaryResult result = summarise(results.evaluation(), results.extra());
    for (const SummaryRow& row : result.layers) add(row);
    if (result.has_total) add(result.total);
  }
  fmt::print("{}\n{} of {} results, written by {}\n", table.text(), shown, results.number(),
             results.producer());
}

}  // namespace zz::host
