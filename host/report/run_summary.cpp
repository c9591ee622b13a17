#include "host/report/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "core/cost/evaluation.hpp"
#include "core/cost/missing_work.hpp"
#include "core/cost/part_words.hpp"
#include "core/cost/rate_words.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/workload/layer.hpp"
#include "host/base/run.hpp"
#include "host/report/accuracy.hpp"
#include "host/report/fused_words.hpp"
#include "host/report/merged_rows.hpp"
#include "host/report/problems.hpp"
#include "host/report/search_words.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {

void add_what_was_told(RunSummary& summary, const Run& run) {
  summary.counters = counters_of(run);
  summary.warnings = run.log.warnings();
  summary.notes = run.log.notes();
  summary.tables = run.tables.all();
}

namespace {

std::string percentage(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.2f} %", 100 * share);
}

template <class Has>
bool any_row(const ResultRows& result, const Has& has) {
  return (result.total && has(*result.total)) ||
         std::any_of(result.layers.begin(), result.layers.end(), has);
}

/// The metrics of the result that have a column.
std::vector<core::MetricRule> metric_columns(const ResultRows& result) {
  std::vector<core::MetricRule> columns;
  for (const core::MetricRule& rule : core::described_metrics()) {
    if (!rule.column) continue;
    const auto has = [&](const ResultRow& row) {
      return std::any_of(row.metrics.begin(), row.metrics.end(),
                         [&](const auto& metric) { return metric.first == rule.name; });
    };
    if (any_row(result, has)) columns.push_back(rule);
  }
  return columns;
}

/// Columns that only some tables have.
struct Columns {
  bool range = false;  ///< known of some row, as are `gap` and `limits`
  bool gap = false;
  bool limits = false;
  core::EnergyUnit energy{"pJ", 1};
  std::vector<const char*> beside;  ///< scales and metadata, parts of the energy
  std::vector<core::MetricRule> metrics;
};

std::vector<const char*> beside_data(const ResultRows& result) {
  std::vector<const char*> found;
  for (const char* const name : {"scales", "metadata"})
    if (any_row(result, [&](const ResultRow& row) { return !std::isnan(row.metric(name)); }))
      found.push_back(name);
  return found;
}

/// Results without a total are rows of one table.
bool shares_table_with_next(const std::vector<ResultRows>& results, std::size_t place) {
  return !results[place].total && place + 1 < results.size() && !results[place + 1].total &&
         results[place + 1].settings == results[place].settings;
}

/// The largest energy of all rows of the table that begins with this result.
double largest_energy(const std::vector<ResultRows>& results, std::size_t place) {
  double largest = results[place].total ? results[place].total->energy : 0;
  while (true) {
    for (const ResultRow& row : results[place].layers) largest = std::max(largest, row.energy);
    if (!shares_table_with_next(results, place)) return largest;
    ++place;
  }
}

Columns columns_of(const ResultRows& result) {
  return {any_row(result, [](const ResultRow& row) { return row.energy_range.has_value(); }),
          any_row(result, [](const ResultRow& row) { return !std::isnan(row.gap); }),
          any_row(result, [](const ResultRow& row) { return !row.limited_by.empty(); }),
          {"pJ", 1},
          beside_data(result),
          metric_columns(result)};
}

std::vector<std::string> cells(const ResultRow& row, const Columns& columns) {
  std::vector<std::string> cells = {row.layer, core::four_digits(row.energy / columns.energy.size)};
  if (columns.range) cells.push_back(range_words(row.energy_range, columns.energy.size));
  for (const char* const name : columns.beside) {
    const double energy = row.metric(name);
    cells.push_back(std::isnan(energy) ? "-" : core::four_digits(energy / columns.energy.size));
  }
  cells.insert(cells.end(), {figure_text(row.latency), percentage(row.utilization)});
  if (columns.gap) cells.push_back(gap_text(row.gap));
  for (const core::MetricRule& rule : columns.metrics) {
    const double value = row.metric(rule.name);
    cells.push_back(std::isnan(value) ? "-" : figure_text(value));
  }
  cells.push_back(row.unrolling);
  if (columns.limits) cells.push_back(row.limit.empty() ? "not known" : row.limit);
  return cells;
}

TextTable table_with(const Columns& columns) {
  std::vector<TextTable::Column> all = {{"layer"}, {fmt::format("energy [{}]", columns.energy.name), true}};
  if (columns.range) all.push_back({"its range", true});
  for (const char* const name : columns.beside) all.push_back({fmt::format("of it {}", name), true});
  all.insert(all.end(), {{"latency [cycles]", true}, {"utilisation", true}});
  if (columns.gap) all.push_back({"gap", true});
  for (const core::MetricRule& rule : columns.metrics)
    all.push_back({rule.unit.empty() ? rule.name : fmt::format("{} [{}]", rule.name, rule.unit), true});
  all.push_back({"unrolling"});
  if (columns.limits) all.push_back({"limited by"});
  return TextTable(std::move(all));
}

/// The rows of the layers of a network, those that are alike together.
std::vector<std::vector<std::string>> table_rows(const ResultRows& result, const Columns& columns) {
  std::vector<std::vector<std::string>> rows;
  for (const ResultRow& row : result.layers) rows.push_back(cells(row, columns));
  if (!result.total) return rows;
  std::vector<TableLayer> layers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::Evaluation& evaluation = *result.layers[i].evaluation();
    TableLayer& layer = layers.emplace_back(TableLayer{result.layers[i].layer, rows[i]});
    layer.cells.front() = evaluation.layer != nullptr ? evaluation.layer->type : "";
  }
  std::vector<std::vector<std::string>> merged;
  for (MergedRow& row : merged_rows(layers)) {
    merged.push_back(std::move(rows[row.first]));
    merged.back().front() = std::move(row.name);
  }
  return merged;
}

bool has_unproven_limits(const RunSummary& summary) {
  const auto unproven = [](const ResultRow& row) {
    // Those of a machine, or of a schedule, are no mapping's.
    const core::Evaluation* const evaluation = row.evaluation();
    const bool scheduled = evaluation != nullptr && evaluation->schedule != nullptr;
    return !row.limited_by.empty() && !row.limits.known() && !scheduled && !(row.gap <= 0);
  };
  // Layers of fused groups are proven together.
  const auto proven_together = [](const ResultRows& result) {
    return result.total && result.total->evaluation() != nullptr &&
           result.total->evaluation()->certificate.fused_gap == 0.0;
  };
  return std::any_of(summary.results.begin(), summary.results.end(), [&](const ResultRows& result) {
    return !proven_together(result) && std::any_of(result.layers.begin(), result.layers.end(), unproven);
  });
}

/// The row of the whole result, or of its first layer; null where there is none.
const ResultRow* first_row(const ResultRows& result) {
  return result.total ? &*result.total : result.layers.empty() ? nullptr : &result.layers.front();
}

/// Speed, power and area, as far as they are known of the whole result.
std::string chip_text(const ResultRows& result) {
  if (!result.total && result.layers.size() != 1) return "";
  const core::Evaluation* const evaluation = first_row(result)->evaluation();
  return evaluation == nullptr ? "" : core::rate_words(*evaluation);
}

/// Energy and area with the ranges of filled costs: "energy: 0.48 J (0.2 to 6)".
std::string ranges_text(const ResultRows& result) {
  if (!result.total && result.layers.size() != 1) return "";
  const ResultRow& row = *first_row(result);
  // Three digits, never with an exponent: bounds may be far from the value whose unit they have.
  const auto short_text = [](double number) {
    return number < 1000 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
  };
  bool any = false;
  const auto range = [&](double value, const char* name, double size, const char* unit) {
    const double low = row.metric(fmt::format("{}_low", name)),
                 high = row.metric(fmt::format("{}_high", name));
    const std::string figure = fmt::format("{} {}", short_text(value / size), unit);
    if (!(low < high)) return figure;
    any = true;
    return fmt::format("{} ({} to {})", figure, short_text(low / size), short_text(high / size));
  };
  std::string text;
  if (row.energy_range) {
    const core::EnergyUnit unit = core::energy_unit(row.energy);
    text = "energy: " + range(row.energy, "energy", unit.size, unit.name);
  }
  if (const double area = row.metric("area"); !std::isnan(area) && !std::isnan(row.metric("area_low")))
    text += (text.empty() ? "area: " : "; area: ") + range(area, "area", 1, "mm2");
  if (any) text += ", by the ranges of the costs that were filled in";
  if (const double beyond = row.metric("costs_beyond_source"); any && beyond > 0)
    text += fmt::format("; {:.0f} beyond the range of {}", beyond,
                        beyond == 1 ? "its source" : "their sources");
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

std::string settings_line(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += fmt::format("{}{} = {}", text.empty() ? "with " : ", ", name, value);
  return text.empty() ? "" : text + ":\n";
}

namespace {

/// A note on what the figures of the first result leave out; "" when that is nothing.
std::string missing_work_note(const RunSummary& summary) {
  for (const ResultRows& result : summary.results) {
    const ResultRow* const row = first_row(result);
    if (row != nullptr && row->evaluation() != nullptr)
      return core::missing_work_note(core::missing_work(*row->evaluation()));
  }
  return "";
}

/// Sets of the ledger, of machines like that of the result.
std::optional<std::vector<NearSet>> accuracy_of(const std::vector<ResultRow>& rows) {
  for (const ResultRow& row : rows) {
    const core::Evaluation* const evaluation = row.evaluation();
    if (evaluation != nullptr && (evaluation->layer != nullptr || evaluation->schedule != nullptr))
      return nearest_sets(machine_of(*evaluation));
  }
  return std::nullopt;
}

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

/// True for a row whose evaluation only tables of its own look at.
bool is_plain(const ResultRow& row) {
  return row.evaluation() != nullptr && row.evaluation()->schedule == nullptr;
}

}  // namespace

void show_result(RunSummary& summary, const core::Value& evaluation, const core::Value& extra,
                 std::uint64_t most, core::MachineLimits& limits) {
  const std::uint64_t count = count_rows(evaluation, extra);
  if (summary.further_rows > 0 || (summary.rows > 0 && summary.rows + count > most)) {
    summary.further_rows += count;
    return;
  }
  ResultRows result = rows_of(evaluation, extra, limits);
  if (!result.total && count > most) {  // a list
    summary.further_rows = count - most;
    result.layers.resize(most);
  }
  const std::uint64_t rows_before = summary.rows;
  summary.rows += count - summary.further_rows;
  summary.results.push_back(std::move(result));
  if (summary.results.size() < 2) return;
  const std::size_t before = summary.results.size() - 2;
  // The first row tells what the figures leave out, the last of a table what it runs at.
  const bool has_first_row = rows_before == summary.results[before].layers.size();
  if (has_first_row || !shares_table_with_next(summary.results, before)) return;
  for (ResultRow& row : summary.results[before].layers)
    if (is_plain(row)) row.value = {};
}

void begin_list(RunSummary& summary, Settings settings) {
  summary.results.emplace_back().settings = std::move(settings);
}

void show_part(RunSummary& summary, const core::Value& evaluation, const core::Value& extra,
               std::uint64_t most, core::MachineLimits& limits) {
  if (summary.rows >= most) {
    summary.further_rows += count_rows(evaluation, extra);
    return;
  }
  std::vector<ResultRow>& shown = summary.results.back().layers;
  for (ResultRow& row : rows_of_part(evaluation, extra, limits)) {
    if (summary.rows == most) {
      ++summary.further_rows;
      continue;
    }
    // The first row tells what the figures leave out.
    if (summary.rows > 0 && is_plain(row)) row.value = {};
    shown.push_back(std::move(row));
    ++summary.rows;
  }
}

std::string to_table(const RunSummary& summary) {
  std::string text;
  if (const std::string note = missing_work_note(summary); !note.empty()) text += note + "\n\n";
  for (std::size_t i = 0; i < summary.results.size(); ++i) {
    Columns columns = columns_of(summary.results[i]);
    columns.energy = core::energy_unit(largest_energy(summary.results, i));
    TextTable table = table_with(columns);
    std::vector<ResultRow> searched;
    text += settings_line(summary.results[i].settings);
    while (true) {
      const ResultRows& result = summary.results[i];
      for (std::vector<std::string>& row : table_rows(result, columns)) table.add_row(std::move(row));
      searched.insert(searched.end(), result.layers.begin(), result.layers.end());
      if (result.total) {
        table.add_rule();
        table.add_row(cells(*result.total, columns));
        break;
      }
      if (!shares_table_with_next(summary.results, i)) break;
      ++i;
    }
    text += table.text() + chip_text(summary.results[i]) + ranges_text(summary.results[i]);
    for (const std::string& words : search_words(searched)) text += words + "\n";
    if (summary.accuracy) {
      if (const auto accuracy = accuracy_of(summary.results[i].layers)) text += accuracy_text(*accuracy);
    }
    text += "\n";
  }
  if (summary.results.empty()) text += "no results\n\n";
  if (summary.further_rows > 0)
    text += fmt::format(
        "{} of {} rows are shown, and what is said of them holds for these; --max-rows=N shows N, "
        "--format=csv all\n\n",
        summary.rows, summary.rows + summary.further_rows);
  if (has_unproven_limits(summary)) text += fmt::format("{}\n", not_proven_best);
  for (const ReportTable& table : summary.tables) text += text_of(table) + "\n";
  for (const std::string& note : summary.notes) text += core::printable(note) + "\n";
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

Json result_json(const ResultRows& result, bool accuracy) {
  Json one = rows_json(result);
  if (const auto words = search_words(result.layers); !words.empty()) one["search"] = words;
  if (Json groups = fused_groups_json(result.layers); !groups.empty())
    one["fused_groups"] = std::move(groups);
  if (accuracy) {
    if (const auto near = accuracy_of(result.layers)) one["accuracy"] = accuracy_json(*near);
  }
  return one;
}

constexpr core::JsonLayout layout{.indent = 2};

/// `text` with so many more blanks in front of each line but the first.
std::string indented(const std::string& text, int blanks) {
  std::string lines;
  for (const char letter : text) {
    lines += letter;
    if (letter == '\n') lines.append(static_cast<std::size_t>(blanks), ' ');
  }
  return lines;
}

using Print = std::function<void(const std::string&)>;

/// Prints a document whose list `name`, which is empty, gets what `items` prints between its brackets.
/// `before`: what stands before its name.
void print_around(const std::string& text, const std::string& before, const std::string& name,
                  const Print& print, const std::function<void()>& items) {
  // No text within can hold these letters: their quotation marks would have a stroke before them.
  const std::string none = before + "\"" + name + "\": []";
  const std::size_t end = text.find(none) + none.size() - 1;
  print(text.substr(0, end));
  items();
  print(before + text.substr(end));
}

/// Those from `first` to before `end`.
void print_items(const JsonTrees& items, std::size_t first, std::size_t end, int depth,
                 const Print& print) {
  for (std::size_t i = first; i < end; ++i)
    print(indented((i == first ? "\n" : ",\n") + core::json_text(items.at(i), layout), depth));
}

}  // namespace

void JsonResults::add(const ResultRows& result, bool accuracy) {
  results_.add(result_json(result, accuracy));
}

void JsonResults::begin_list(const Settings& settings) {
  lists_[results_.size()].first = lists_[results_.size()].end = parts_.size();
  results_.add(rows_json({settings, {}, {}}));
}

void JsonResults::add_part(const std::vector<ResultRow>& rows, bool accuracy) {
  List& list = lists_.rbegin()->second;
  if (accuracy && list.accuracy.is_null()) {
    if (const auto near = accuracy_of(rows)) list.accuracy = accuracy_json(*near);
  }
  for (const ResultRow& row : rows) {
    parts_.add(row_json(row));
    list.search.add(row);
    if (row.evaluation() != nullptr && row.evaluation()->fused) list.fused.push_back(row);
  }
  list.end = parts_.size();
}

void JsonResults::drop_list() { is_dropped_ = true; }

void JsonResults::write(const Print& print) const {
  for (std::size_t i = 0; i + (is_dropped_ ? 1 : 0) < results_.size(); ++i) {
    const std::string before = i == 0 ? "\n" : ",\n";
    if (const auto list = lists_.find(i); list != lists_.end()) {
      print(indented(before, 4));
      write_list(list->second, results_.at(i), print);
    } else {
      print(indented(before + core::json_text(results_.at(i), layout), 4));
    }
  }
}

void JsonResults::write_list(const List& list, Json document, const Print& print) const {
  if (const auto words = list.search.lines(); !words.empty()) document["search"] = words;
  if (Json groups = fused_groups_json(list.fused); !groups.empty())
    document["fused_groups"] = std::move(groups);
  if (!list.accuracy.is_null()) document["accuracy"] = list.accuracy;
  const std::string text = indented(core::json_text(document, layout), 4);
  print_around(text, "\n      ", "layers", print,
               [&] { print_items(parts_, list.first, list.end, 8, print); });
}

Json summary_json(const RunSummary& summary) {
  Json json{{"pipeline", summary.pipeline},      {"complete", summary.complete}, {"results", Json::array()},
            {"counters", Json::object()},        {"warnings", Json::array()},    {"notes", summary.notes},
            {"elapsed_seconds", summary.seconds}};
  for (const ResultRows& result : summary.results)
    json["results"].push_back(result_json(result, summary.accuracy));
  for (const auto& [what, amount] : summary.counters) json["counters"][what] = amount;
  for (const Warning& warning : summary.warnings)
    json["warnings"].push_back({{"text", warning.text}, {"count", warning.count}});
  for (const ReportTable& table : summary.tables) json["tables"].push_back(table_json(table));
  for (const TimeSpent& time : summary.times)
    json["timings"].push_back({{"what", time.what}, {"seconds", time.seconds}, {"calls", time.calls}});
  return json;
}

void write_json(const RunSummary& summary, const JsonResults& results, int exit_status,
                const Print& print) {
  Json json = summary_json(summary);
  json["results"] = Json::array();
  json["errors"] = errors_json();
  json["exit_status"] = exit_status;
  const std::string text = core::json_text(json, layout) + "\n";
  if (results.empty()) return print(text);
  print_around(text, "\n  ", "results", print, [&] { results.write(print); });
}

}  // namespace zz::host
