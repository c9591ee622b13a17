#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/base/printable.hpp"
#include "core/cost/evaluation.hpp"
#include "core/value/read.hpp"
#include "host/report/run_summary.hpp"
#include "host/report/text_table.hpp"
#include "host/services/run.hpp"

namespace zz::host {
namespace {

/// The exact number if it is short, else ten digits.
std::string figure(double value) {
  std::string exact = fmt::format("{}", value);
  return exact.size() <= 12 ? exact : fmt::format("{:.10g}", value);
}

std::string percentage(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.2f} %", 100 * share);
}

/// The metrics of the result that have a column.
std::vector<core::MetricRule> metric_columns(const SummaryResult& result) {
  const auto has = [](const SummaryRow& row, const core::MetricRule& rule) {
    return std::any_of(row.metrics.begin(), row.metrics.end(),
                       [&](const auto& metric) { return metric.first == rule.name; });
  };
  std::vector<core::MetricRule> columns;
  for (const core::MetricRule& rule : core::described_metrics()) {
    if (!rule.column) continue;
    const bool there =
        has(result.total, rule) || std::any_of(result.layers.begin(), result.layers.end(),
                                               [&](const SummaryRow& row) { return has(row, rule); });
    if (there) columns.push_back(rule);
  }
  return columns;
}

std::vector<std::string> cells(const SummaryRow& row, const std::vector<core::MetricRule>& metrics) {
  std::vector<std::string> cells = {row.layer, figure(row.energy), figure(row.latency),
                                    percentage(row.utilization)};
  for (const core::MetricRule& rule : metrics) {
    const auto metric = std::find_if(row.metrics.begin(), row.metrics.end(),
                                     [&](const auto& one) { return one.first == rule.name; });
    cells.push_back(metric == row.metrics.end() ? "-" : figure(metric->second));
  }
  cells.push_back(row.unrolling);
  return cells;
}

TextTable table_with(const std::vector<core::MetricRule>& metrics) {
  std::vector<TextTable::Column> columns = {
      {"layer"}, {"energy [pJ]", true}, {"latency [cycles]", true}, {"utilisation", true}};
  for (const core::MetricRule& rule : metrics)
    columns.push_back({rule.unit.empty() ? rule.name : fmt::format("{} [{}]", rule.name, rule.unit), true});
  columns.push_back({"unrolling"});
  return TextTable(std::move(columns));
}

/// "with loma_lpf_limit = 3, accelerator.memories[l1].size = 65536:"
std::string settings_text(const SummaryResult& result) {
  std::string text;
  for (const auto& [name, value] : result.settings)
    text += fmt::format("{}{} = {}", text.empty() ? "with " : ", ", name, value);
  return text.empty() ? "" : text + ":\n";
}

/// Clock and area, if the model of the accelerator gives them (in-memory computing).
std::string chip_text(const SummaryResult& result) {
  if (!result.has_total && result.layers.empty()) return "";
  const SummaryRow& row = result.has_total ? result.total : result.layers.front();
  if (row.clock <= 0) return "";
  return fmt::format("clock period: {:.6g} ns, {:.6g} ms in all; area: {:.6g} mm2\n", row.clock,
                     row.clock * row.latency / 1e6, row.area);
}

std::string cell_text(const core::Value& cell) {
  std::string_view text;
  double number = 0;
  if (core::read_text(cell.ref(), text)) return std::string(text);
  const core::Kind kind = core::kind_of(cell.ref());
  if (kind == core::Kind::null) return "-";
  return kind == core::Kind::f64 && core::read_f64(cell.ref(), number) ? figure(number)
                                                                       : core::to_json(cell.ref());
}

/// Columns of numbers are aligned to the right.
std::string text_of(const ReportTable& table) {
  std::vector<TextTable::Column> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool numbers = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      const core::Kind kind = core::kind_of(row[i].ref());
      return kind == core::Kind::i64 || kind == core::Kind::f64 || kind == core::Kind::null;
    });
    columns.push_back({table.columns[i], numbers});
  }
  TextTable text(std::move(columns));
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const core::Value& cell : row) cells.push_back(cell_text(cell));
    text.add_row(std::move(cells));
  }
  return core::printable(table.title) + ":\n" + text.text();
}

}  // namespace

std::string to_table(const RunSummary& summary) {
  std::string text;
  for (std::size_t i = 0; i < summary.results.size(); ++i) {
    const std::vector<core::MetricRule> metrics = metric_columns(summary.results[i]);
    TextTable table = table_with(metrics);
    text += settings_text(summary.results[i]);
    // Results without a total are rows of one table.
    while (true) {
      const SummaryResult& result = summary.results[i];
      for (const SummaryRow& row : result.layers) table.add_row(cells(row, metrics));
      if (result.has_total) {
        table.add_rule();
        table.add_row(cells(result.total, metrics));
        break;
      }
      if (i + 1 == summary.results.size() || summary.results[i + 1].has_total) break;
      if (summary.results[i + 1].settings != result.settings) break;
      ++i;
    }
    text += table.text() + chip_text(summary.results[i]) + "\n";
  }
  if (summary.results.empty()) text += "no results\n\n";
  for (const ReportTable& table : current_run().tables.all()) text += text_of(table) + "\n";
  if (!summary.complete) text += "incomplete: the run ended before all results were there\n";
  for (const auto& [what, amount] : current_run().progress.counters())
    text += fmt::format("{}: {}\n", what, amount);
  if (const auto warned = current_run().log.warnings(); !warned.empty())
    text += fmt::format("warnings: {}\n", warned.size());
  return text + fmt::format("elapsed time: {:.3f} s\n", summary.seconds);
}

}  // namespace zz::host
