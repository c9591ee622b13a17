#include <cmath>
#include <fmt/format.h>

#include "host/report/run_summary.hpp"
#include "host/report/text_table.hpp"
#include "host/services/log.hpp"
#include "host/services/progress.hpp"

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

/// "with loma_lpf_limit = 3, accelerator.memories[l1].size = 65536:"
std::string settings_text(const SummaryResult& result) {
  std::string text;
  for (const auto& [name, value] : result.settings)
    text += fmt::format("{}{} = {}", text.empty() ? "with " : ", ", name, value);
  return text.empty() ? "" : text + ":\n";
}

/// Clock and area where the accelerator's model gives them (in-memory computing).
std::string chip_text(const SummaryResult& result) {
  if (!result.has_total && result.layers.empty()) return "";
  const SummaryRow& row = result.has_total ? result.total : result.layers.front();
  if (row.clock <= 0) return "";
  return fmt::format("clock period: {:.6g} ns, {:.6g} ms in all; area: {:.6g} mm2\n", row.clock,
                     row.clock * row.latency / 1e6, row.area);
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
    text += settings_text(summary.results[i]);
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
      if (summary.results[i + 1].settings != result.settings) break;
      ++i;
    }
    text += table.text() + chip_text(summary.results[i]) + "\n";
  }
  if (summary.results.empty()) text += "no results\n\n";
  if (!summary.complete) text += "incomplete: the run ended before all results were there\n";
  for (const auto& [what, amount] : counters()) text += fmt::format("{}: {}\n", what, amount);
  if (const auto warned = warnings(); !warned.empty()) text += fmt::format("warnings: {}\n", warned.size());
  return text + fmt::format("elapsed time: {:.3f} s\n", summary.seconds);
}

}  // namespace zz::host
