#include "host/report/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "core/cost/evaluation.hpp"
#include "core/cost/missing_work.hpp"
#include "core/cost/part_words.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/output/archive/contained_evaluations.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/workload/layer.hpp"
#include "host/base/run.hpp"
#include "host/report/iteration_names.hpp"
#include "host/report/problems.hpp"
#include "host/report/search_words.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

using core::Value;

/// "D1: K 32, C 2; D2: OX 7": on how many units of each array dimension each loop is spread.
std::string unrolling_of(const core::Evaluation& evaluation) {
  if (evaluation.layer == nullptr) return "";
  std::string text;
  for (const core::ArrayUnrolling& array : evaluation.layer->mapping.spatial_mapping.dimensions) {
    std::string loops;
    for (const core::SpatialLoop& loop : array.loops) {
      if (loop.factor == 1) continue;
      loops += fmt::format("{}{} {}", loops.empty() ? "" : ", ", loop.dimension, loop.factor);
    }
    if (!loops.empty())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", array.array_dimension, loops);
  }
  return text;
}

SummaryRow row_of(const Value& whole, const core::Evaluation& evaluation, const std::string& name) {
  SummaryRow row;
  row.evaluation = whole;
  row.layer = name;
  if (evaluation.layer != nullptr)
    row.layer = evaluation.layer->name;
  else if (evaluation.schedule != nullptr && evaluation.schedule->graph != nullptr)
    row.layer = evaluation.schedule->graph->name;
  row.energy = evaluation.energy_total;
  row.latency = evaluation.latency_total2;
  row.utilization = evaluation.latency_total2 > 0 && evaluation.ideal_cycle > 0
                        ? evaluation.mac_utilization2()
                        : std::numeric_limits<double>::quiet_NaN();
  row.unrolling = unrolling_of(evaluation);
  row.limited_by = core::limited_by(evaluation);
  if (evaluation.imc) {
    row.clock = evaluation.imc->tclk();
    row.area = evaluation.imc->area_total();
  }
  row.metrics = core::metrics_of(evaluation);
  row.gap = metric_of(row, "optimum_gap");
  return row;
}

bool is_list(const Value& value) { return core::kind_of(value.ref()) == core::Kind::list; }

Value item(const Value& list, std::uint32_t index) {
  return core::held_part(list, core::part_at(list.ref(), index));
}

/// The layer that a stage such as WorkloadStage put before the extra.
std::string layer_name(const Value& extra) {
  if (!is_list(extra) || core::count_of(extra.ref()) == 0) return "";
  const auto layer = item(extra, 0).as<core::Layer>();
  return layer != nullptr ? layer->name : "";
}

class Collector {
 public:
  explicit Collector(SummaryResult& result) : result_(result) {}

  void add(const Value& evaluation, const Value& extra, bool outermost) {
    if (is_list(evaluation)) return add_pairs(evaluation);
    const auto figures = evaluation.as<core::Evaluation>();
    if (figures == nullptr) return add_pairs(extra);
    if (outermost && figures->is_sum() && holds_pairs(extra)) {
      result_.has_total = true;
      result_.total = row_of(evaluation, *figures, "total");
      return add_pairs(extra);
    }
    const std::string name = layer_name(extra);
    result_.layers.push_back(row_of(evaluation, *figures, name.empty() ? "-" : name));
  }

 private:
  static bool is_pair(const Value& value) {
    if (!is_list(value) || core::count_of(value.ref()) != 2) return false;
    return item(value, 0).as<core::Evaluation>() != nullptr || is_list(item(value, 0));
  }
  static bool holds_pairs(const Value& list) {
    return is_list(list) && core::count_of(list.ref()) > 0 && is_pair(item(list, 0));
  }

  void add_pairs(const Value& list) {
    if (!is_list(list)) return;
    for (std::uint32_t i = 0; i < core::count_of(list.ref()); ++i) {
      const Value pair = item(list, i);
      if (is_pair(pair)) {
        add(item(pair, 0), item(pair, 1), false);
      } else if (pair.as<core::Evaluation>() != nullptr) {
        add(pair, Value(), false);
      }
    }
  }

  SummaryResult& result_;
};

}  // namespace

SummaryResult summarise(const core::Value& evaluation, const core::Value& extra) {
  SummaryResult result;
  core::VariedResult varied = core::varied_result(extra);
  result.settings = std::move(varied.settings);
  Collector(result).add(evaluation, varied.extra, true);
  result.search = search_words(result.layers);
  return result;
}

void add_what_was_told(RunSummary& summary, const Run& run) {
  summary.counters = counters_of(run);
  summary.warnings = run.log.warnings();
  summary.tables = run.tables.all();
}

namespace {

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

/// Columns that only some tables have.
struct Columns {
  bool range = false;  ///< known of some row, as are `gap` and `limits`
  bool gap = false;
  bool limits = false;
  std::vector<core::MetricRule> metrics;
};

Columns columns_of(const SummaryResult& result) {
  const auto any = [&](const auto& knows) {
    return (result.has_total && knows(result.total)) ||
           std::any_of(result.layers.begin(), result.layers.end(), knows);
  };
  return {any([](const SummaryRow& row) { return !std::isnan(metric_of(row, "energy_low")); }),
          any([](const SummaryRow& row) { return !std::isnan(row.gap); }),
          any([](const SummaryRow& row) { return !row.limited_by.empty(); }), metric_columns(result)};
}

std::string range_text(const Value& evaluation) {
  return range_words(core::energy_range(*evaluation.as<core::Evaluation>()));
}

std::vector<std::string> cells(const SummaryRow& row, const Columns& columns) {
  std::vector<std::string> cells = {row.layer, figure_text(row.energy)};
  if (columns.range) cells.push_back(range_text(row.evaluation));
  cells.insert(cells.end(), {figure_text(row.latency), percentage(row.utilization)});
  if (columns.gap) cells.push_back(gap_text(row.gap));
  for (const core::MetricRule& rule : columns.metrics) {
    const double value = metric_of(row, rule.name);
    cells.push_back(std::isnan(value) ? "-" : figure_text(value));
  }
  cells.push_back(row.unrolling);
  if (columns.limits) cells.push_back(core::limit_words(*row.evaluation.as<core::Evaluation>()));
  return cells;
}

TextTable table_with(const Columns& columns) {
  std::vector<TextTable::Column> all = {{"layer"}, {"energy [pJ]", true}};
  if (columns.range) all.push_back({"its range", true});
  all.insert(all.end(), {{"latency [cycles]", true}, {"utilisation", true}});
  if (columns.gap) all.push_back({"gap", true});
  for (const core::MetricRule& rule : columns.metrics)
    all.push_back({rule.unit.empty() ? rule.name : fmt::format("{} [{}]", rule.name, rule.unit), true});
  all.push_back({"unrolling"});
  if (columns.limits) all.push_back({"limited by"});
  return TextTable(std::move(all));
}

constexpr std::size_t most_rows_as_they_are = 40;

/// The rows of the layers of a network. Iterations of a loop that differ in the name alone have one row
/// with their number: "Loop/MatMul (x 32)". So have all such layers where there are many, as those of
/// repeated blocks.
std::vector<std::vector<std::string>> rows_of(const SummaryResult& result, const Columns& columns) {
  const bool many = result.layers.size() > most_rows_as_they_are;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> numbers;  // of the layers in each row
  std::map<std::vector<std::string>, std::size_t> places;
  for (const SummaryRow& row : result.layers) {
    rows.push_back(cells(row, columns));
    numbers.push_back(1);
    const std::string name = without_iterations(row.layer);
    if (!result.has_total || (!many && name == row.layer)) continue;
    std::vector<std::string> alike = rows.back();
    alike.front() = many ? "" : name;
    const auto evaluation = row.evaluation.as<core::Evaluation>();
    alike.push_back(evaluation->layer != nullptr ? evaluation->layer->type : "");
    const auto [found, is_new] = places.try_emplace(std::move(alike), rows.size() - 1);
    if (is_new) continue;
    rows.pop_back();
    numbers.pop_back();
    ++numbers[found->second];
    std::string& shown = rows[found->second].front();
    if (without_iterations(shown) == name) shown = name;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (numbers[i] > 1) rows[i].front() += fmt::format(" (x {})", numbers[i]);
  return rows;
}

bool has_unproven_limits(const RunSummary& summary) {
  const auto unproven = [](const SummaryRow& row) {
    return !row.limited_by.empty() && !is_proven_best(*row.evaluation.as<core::Evaluation>());
  };
  return std::any_of(summary.results.begin(), summary.results.end(), [&](const SummaryResult& result) {
    return std::any_of(result.layers.begin(), result.layers.end(), unproven);
  });
}

/// Clock and area, if the model of the accelerator gives them (in-memory computing).
std::string chip_text(const SummaryResult& result) {
  if (!result.has_total && result.layers.empty()) return "";
  const SummaryRow& row = result.has_total ? result.total : result.layers.front();
  if (row.clock <= 0) return "";
  return fmt::format("clock period: {:.6g} ns, {:.6g} ms in all; area: {:.6g} mm2\n", row.clock,
                     row.clock * row.latency / 1e6, row.area);
}

/// Energy and area with the ranges of filled costs: "energy: 0.48 J (0.2 to 6)".
std::string ranges_text(const SummaryResult& result) {
  if (!result.has_total && result.layers.size() != 1) return "";
  const SummaryRow& row = result.has_total ? result.total : result.layers.front();
  // Three digits, never with an exponent: bounds may be far from the value whose unit they have.
  const auto short_text = [](double number) {
    return number < 1000 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
  };
  bool any = false;
  const auto range = [&](double value, const char* name, double size, const char* unit) {
    const double low = metric_of(row, fmt::format("{}_low", name)),
                 high = metric_of(row, fmt::format("{}_high", name));
    const std::string figure = fmt::format("{} {}", short_text(value / size), unit);
    if (!(low < high)) return figure;
    any = true;
    return fmt::format("{} ({} to {})", figure, short_text(low / size), short_text(high / size));
  };
  std::string text;
  if (!std::isnan(metric_of(row, "energy_low"))) {
    const double energy = row.energy > 0 ? row.energy : 1;
    const auto* unit = energy >= 1e12 ? "J" : energy >= 1e9 ? "mJ" : energy >= 1e6 ? "uJ" : "nJ";
    const double size = energy >= 1e12 ? 1e12 : energy >= 1e9 ? 1e9 : energy >= 1e6 ? 1e6 : 1e3;
    text = "energy: " + range(row.energy, "energy", size, unit);
  }
  if (const double area = metric_of(row, "area");
      !std::isnan(area) && !std::isnan(metric_of(row, "area_low")))
    text += (text.empty() ? "area: " : "; area: ") + range(area, "area", 1, "mm2");
  if (any) text += ", by the ranges of the costs that were filled in";
  return text.empty() ? "" : text + "\n";
}

std::string cell_text(const core::Value& cell) {
  std::string_view text;
  double number = 0;
  if (core::read_text(cell.ref(), text)) return std::string(text);
  const core::Kind kind = core::kind_of(cell.ref());
  if (kind == core::Kind::null) return "-";
  return kind == core::Kind::f64 && core::read_f64(cell.ref(), number) ? figure_text(number)
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

void add_accuracy(SummaryResult& result) {
  for (const SummaryRow& row : result.layers) {
    const auto evaluation = row.evaluation.as<core::Evaluation>();
    if (evaluation == nullptr || (evaluation->layer == nullptr && evaluation->schedule == nullptr))
      continue;
    result.accuracy = nearest_sets(machine_of(*evaluation));
    return;
  }
}

bool is_proven_best(const core::Evaluation& evaluation) {
  return std::any_of(evaluation.metrics.begin(), evaluation.metrics.end(), [](const auto& metric) {
    return metric.first == "optimum_gap" && metric.second <= 0;
  });
}

std::string settings_line(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += fmt::format("{}{} = {}", text.empty() ? "with " : ", ", name, value);
  return text.empty() ? "" : text + ":\n";
}

namespace {

/// What the figures of the first result leave out; "" when that is nothing.
std::string missing_work_note(const RunSummary& summary) {
  for (const SummaryResult& result : summary.results) {
    if (!result.has_total && result.layers.empty()) continue;
    const core::Value& shown = (result.has_total ? result.total : result.layers.front()).evaluation;
    return core::missing_work_note(core::missing_work(*shown.as<core::Evaluation>()));
  }
  return "";
}

}  // namespace

namespace {

std::string counters_text(const Counters& counters) {
  std::uint64_t asked = 0;
  std::string text;
  for (const auto& [what, amount] : counters) {  // what was asked comes first
    if (what == asked_of_store)
      asked = amount;
    else
      text += what == found_in_store ? fmt::format("{}: {} of {}\n", what, amount, asked)
                                     : fmt::format("{}: {}\n", what, amount);
  }
  return text;
}

}  // namespace

std::string to_table(const RunSummary& summary) {
  std::string text;
  if (const std::string note = missing_work_note(summary); !note.empty()) text += note + "\n\n";
  for (std::size_t i = 0; i < summary.results.size(); ++i) {
    const Columns columns = columns_of(summary.results[i]);
    TextTable table = table_with(columns);
    std::vector<SummaryRow> searched;
    text += settings_line(summary.results[i].settings);
    // Results without a total are rows of one table.
    while (true) {
      const SummaryResult& result = summary.results[i];
      for (std::vector<std::string>& row : rows_of(result, columns)) table.add_row(std::move(row));
      searched.insert(searched.end(), result.layers.begin(), result.layers.end());
      if (result.has_total) {
        table.add_rule();
        table.add_row(cells(result.total, columns));
        break;
      }
      if (i + 1 == summary.results.size() || summary.results[i + 1].has_total) break;
      if (summary.results[i + 1].settings != result.settings) break;
      ++i;
    }
    text += table.text() + chip_text(summary.results[i]) + ranges_text(summary.results[i]);
    for (const std::string& words : search_words(searched)) text += words + "\n";
    if (summary.results[i].accuracy) text += accuracy_text(*summary.results[i].accuracy);
    text += "\n";
  }
  if (summary.results.empty()) text += "no results\n\n";
  if (has_unproven_limits(summary)) text += fmt::format("{}\n", not_proven_best);
  for (const ReportTable& table : summary.tables) text += text_of(table) + "\n";
  if (!summary.complete) text += "incomplete: the run ended before all results were there\n";
  text += counters_text(summary.counters);
  if (!summary.warnings.empty()) text += fmt::format("warnings: {}\n", summary.warnings.size());
  return text + fmt::format("elapsed time: {:.3f} s\n", summary.seconds);
}

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

namespace {

using Json = nlohmann::ordered_json;

Json row_json(const SummaryRow& row) {
  Json json{{"layer", row.layer},
            {"energy_total", row.energy},
            {"latency_total2", row.latency},
            {"mac_utilization2", row.utilization},
            {"unrolling", row.unrolling},
            {"limited_by", row.limited_by.empty() ? Json() : Json(row.limited_by)}};
  if (row.clock > 0) {
    json["tclk"] = row.clock;
    json["area_total"] = row.area;
  }
  for (const auto& [name, value] : row.metrics) json["metrics"][name] = value;
  return json;
}

Json result_json(const SummaryResult& result) {
  Json json = Json::object();
  for (const auto& [name, value] : result.settings) json["settings"][name] = Json::parse(value);
  json["total"] = result.has_total ? row_json(result.total) : Json();
  json["layers"] = Json::array();
  for (const SummaryRow& row : result.layers) json["layers"].push_back(row_json(row));
  if (!result.search.empty()) json["search"] = result.search;
  if (result.accuracy) json["accuracy"] = accuracy_json(*result.accuracy);
  return json;
}

Json table_json(const ReportTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const core::Value& cell : row) cells.push_back(Json::parse(core::to_json(cell.ref())));
    rows.push_back(std::move(cells));
  }
  return {{"stage", table.stage},
          {"title", table.title},
          {"columns", table.columns},
          {"rows", std::move(rows)}};
}

}  // namespace

Json summary_json(const RunSummary& summary) {
  Json json{{"pipeline", summary.pipeline}, {"complete", summary.complete},
            {"results", Json::array()},     {"counters", Json::object()},
            {"warnings", Json::array()},    {"elapsed_seconds", summary.seconds}};
  for (const SummaryResult& result : summary.results) json["results"].push_back(result_json(result));
  for (const auto& [what, amount] : summary.counters) json["counters"][what] = amount;
  for (const Warning& warning : summary.warnings)
    json["warnings"].push_back({{"text", warning.text}, {"count", warning.count}});
  for (const ReportTable& table : summary.tables) json["tables"].push_back(table_json(table));
  for (const TimeSpent& time : summary.times)
    json["timings"].push_back({{"what", time.what}, {"seconds", time.seconds}, {"calls", time.calls}});
  return json;
}

std::string to_json(const RunSummary& summary, int exit_status) {
  Json json = summary_json(summary);
  json["errors"] = errors_json();
  json["exit_status"] = exit_status;
  return core::json_text(json, {.indent = 2}) + "\n";
}

}  // namespace zz::host
