#include <cmath>
#include <fmt/format.h>

#include "host/services/log.hpp"
#include "host/services/progress.hpp"
#include "host/summary/run_summary.hpp"
#include "host/summary/text_table.hpp"

namespace zz::host {
namespace {

/// Exact where that is short, else ten digits.
std::string figure(double value) {
  std::string exact = fmt::format("{}", value);
  return exact.size() <= 12 ? exact : fmt::format("{:.10g}", value);
}

std::string percentage(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.2f} %", 100 * share);
}

std::vector<std::string> cells(const SummaryRow& row) {
  return {row.layer, figure(row.energy), figure(row.latency), percentage(row.utilization), row.unrolling};
}

}  // namespace

std::string to_table(const RunSummary& summary) {
  std::string text;
  for (std::size_t i = 0; i < summary.results.size(); ++i) {
    TextTable table({{"layer"},
                     {"energy [pJ]", true},
                     {"latency [cycles]", true},
                     {"utilisation", true},
                     {"unrolling"}});
    // Results without a total are rows of one table.
    while (true) {
      const SummaryResult& result = summary.results[i];
      for (const SummaryRow& row : result.layers) table.add_row(cells(row));
      if (result.has_total) {
        table.add_rule();
        table.add_row(cells(result.total));
        break;
      }
      if (i + 1 == summary.results.size() || summary.results[i + 1].has_total) break;
      ++i;
    }
    text += table.text() + "\n";
  }
  if (summary.results.empty()) text += "no results\n\n";
  if (!summary.complete) text += "incomplete: the run ended before all results were there\n";
  for (const auto& [what, amount] : counters()) text += fmt::format("{}: {}\n", what, amount);
  if (const auto warned = warnings(); !warned.empty()) text += fmt::format("warnings: {}\n", warned.size());
  return text + fmt::format("elapsed time: {:.3f} s\n", summary.seconds);
}

}  // namespace zz::host
