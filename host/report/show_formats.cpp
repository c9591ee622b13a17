#include "host/report/show_formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/cost/rates.hpp"
#include "core/output/csv_text.hpp"
#include "core/output/mapping_yaml.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"
#include "host/report/result_rows.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {

void fail(const Selection& selection, const std::string& message, const std::string& hint) {
  throw core::InputError({core::Diagnostic{core::Severity::error, {selection.file, 0, 0}, message, hint}});
}

bool SelectedResults::next() {
  const auto& numbers = selection_.numbers;
  while (reader_.next(evaluation_, extra_)) {
    if (numbers.empty() || numbers.count(number()) > 0) return true;
  }
  if (!numbers.empty() && *numbers.rbegin() > number()) {
    fail(selection_, fmt::format("there is no result {}; the archive has {}", *numbers.rbegin(), number()));
  }
  return false;
}

void show_table(const Selection& selection) {
  SelectedResults results(selection, core::ArchiveReader::As::objects);
  TextTable table({{"result", true},
                   {"layer"},
                   {"energy [pJ]", true},
                   {"latency [cycles]", true},
                   {"utilisation", true},
                   {"unrolling"}});
  std::uint64_t shown = 0;
  const auto add = [&](const ResultRow& row) {
    table.add_row({fmt::format("{}", results.number()), row.layer, fmt::format("{:.10g}", row.energy),
                   fmt::format("{:.10g}", row.latency),
                   std::isnan(row.utilization) ? "-" : fmt::format("{:.2f} %", 100 * row.utilization),
                   row.unrolling});
  };
  while (results.next()) {
    ++shown;
    const ResultRows result = rows_of(results.evaluation(), results.extra());
    for (const ResultRow& row : result.layers) add(row);
    if (result.total) add(*result.total);
  }
  fmt::print("{}\n{} of {} results, written by {}\n", table.text(), shown, results.number(),
             results.producer());
}

namespace {

using core::Evaluation;

/// "D1: K 32, D2: C 3 OX 2"
std::string array_unrolling_of(const Evaluation& evaluation) {
  std::string text;
  if (!evaluation.layer) return text;
  for (const core::ArrayUnrolling& dimension : evaluation.layer->mapping.spatial_mapping.dimensions) {
    text += (text.empty() ? "" : ", ") + dimension.array_dimension + ":";
    for (const core::SpatialLoop& loop : dimension.loops)
      text += fmt::format(" {} {}", loop.dimension, loop.factor);
  }
  return text;
}

/// "C 2, K 4", innermost first.
std::string loops_of(const Evaluation& evaluation) {
  std::string text;
  if (!evaluation.temporal_mapping) return text;
  for (const core::TemporalLoop& loop : evaluation.temporal_mapping->loops)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", loop.dimension, loop.size);
  return text;
}

using FigureVisitor = std::function<void(const std::string& name, double figure)>;

void for_each_number(core::Ref object, const FigureVisitor& use) {
  for (std::uint32_t i = 0; i < core::count_of(object); ++i) {
    std::string_view name;
    const core::Ref part = core::part_at(object, i, &name);
    const core::Kind kind = core::kind_of(part);
    double figure = 0;
    if (kind == core::Kind::i64 || kind == core::Kind::f64) {
      core::read_f64(part, figure);
      use(std::string(name), figure);
    }
  }
}

/// All figures that are one number, the metrics that stages added, and rates.
void for_each_figure(const Evaluation& evaluation, const FigureVisitor& use) {
  const core::Ref object{core::word_of(&evaluation), core::type_of<Evaluation>()};
  for_each_number(object, [&](const std::string& name, double figure) {
    const core::Field* const field = core::find_field(*object.type, core::intern(name));
    if (figure != 0 || !field->sparse) use(name, figure);
  });
  for_each_number(core::part(object, core::intern("metrics")), use);
  const core::Rates rates = core::rates_of(evaluation);
  for (const core::RateRow& rate : core::rate_rows)
    if (const auto& figure = rates.*rate.member;
        figure && core::find_metric(evaluation, rate.name) == nullptr)
      use(std::string(rate.name), *figure);
}

/// The columns of all results, in the order in which they come first.
std::vector<std::string> figure_columns(const Selection& selection) {
  SelectedResults results(selection, core::ArchiveReader::As::objects);
  std::vector<std::string> columns;
  std::map<std::string, bool> known;
  while (results.next()) {
    for (const ResultRow& row : rows_of(results.evaluation(), results.extra()).layers)
      for_each_figure(*row.evaluation(), [&](const std::string& name, double) {
        if (known.try_emplace(name, true).second) columns.push_back(name);
      });
  }
  return columns;
}

}  // namespace

void show_csv(const Selection& selection) {
  const std::vector<std::string> columns = figure_columns(selection);
  std::vector<std::string> cells{"result",      "layer_id",  "layer", "type",
                                 "accelerator", "unrolling", "loops"};
  cells.insert(cells.end(), columns.begin(), columns.end());
  fmt::print("{}", core::csv_text({cells}));
  SelectedResults results(selection, core::ArchiveReader::As::objects);
  while (results.next()) {
    for (const ResultRow& row : rows_of(results.evaluation(), results.extra()).layers) {
      const core::Evaluation* const evaluation = row.evaluation();
      const core::Layer* layer = evaluation->layer.get();
      cells = {std::to_string(results.number()),
               layer ? std::to_string(layer->id) : "",
               layer ? layer->name : "",
               layer ? layer->type : "",
               evaluation->accelerator ? evaluation->accelerator->name : "",
               array_unrolling_of(*evaluation),
               loops_of(*evaluation)};
      std::map<std::string, double> figures;
      for_each_figure(*evaluation, [&](const std::string& name, double figure) { figures[name] = figure; });
      for (const std::string& column : columns) {
        const auto figure = figures.find(column);
        const bool there = figure != figures.end() && std::isfinite(figure->second);
        cells.push_back(there ? fmt::format("{}", figure->second) : "");
      }
      fmt::print("{}", core::csv_text({cells}));
    }
  }
}

void show_json(const Selection& selection) {
  // The file is read to its end first, so that nothing is printed of one that was cut off.
  for (SelectedResults all(selection, core::ArchiveReader::As::plain); all.next();) {
  }
  SelectedResults results(selection, core::ArchiveReader::As::plain);
  fmt::print("{{\"producer\": {}, \"results\": [", core::json_string(results.producer()));
  const char* separator = "\n";
  while (results.next()) {
    fmt::print("{}{{\"number\": {}, \"evaluation\": {}, \"extra\": {}}}", separator, results.number(),
               core::to_json(results.evaluation().ref()), core::to_json(results.extra().ref()));
    separator = ",\n";
  }
  fmt::print("\n]}}\n");
}

namespace {

/// The entries of a mapping file, one for each layer.
class Entries {
 public:
  explicit Entries(const Selection& selection) : selection_(selection) {}

  void add(const core::Evaluation& evaluation, std::uint64_t number) {
    const core::LayerMapping entry = core::replay_entry(evaluation);
    const auto [known, added] = results_.try_emplace(entry.name, number, entries_.size());
    if (added) {
      entries_.push_back(entry);
      return;
    }
    const auto& [first, index] = known->second;
    if (entries_[index] == entry) return;
    if (first == number) {
      fail(selection_, fmt::format("result {} has two layers '{}' that are mapped differently, which a "
                                   "mapping file cannot tell apart",
                                   number, entry.name));
    }
    fail(
        selection_,
        fmt::format("layer '{}' is mapped differently in the results {} and {}", entry.name, first, number),
        fmt::format("name one result for each layer, as in: zz-host show {} {} --format=mapping",
                    selection_.file, first));
  }

  const std::vector<core::LayerMapping>& all() const { return entries_; }

 private:
  const Selection& selection_;
  std::vector<core::LayerMapping> entries_;
  /// By name of the layer: the result that it was first found in, and the index of its entry.
  std::map<std::string, std::pair<std::uint64_t, std::size_t>> results_;
};

}  // namespace

void show_mapping(const Selection& selection) {
  SelectedResults results(selection, core::ArchiveReader::As::objects);
  Entries entries(selection);
  std::uint64_t without_mapping = 0;
  std::vector<std::string> fused;
  while (results.next()) {
    for (const ResultRow& row : rows_of(results.evaluation(), results.extra()).layers) {
      const core::Evaluation* const evaluation = row.evaluation();
      if (!evaluation->layer || !evaluation->temporal_mapping) {
        ++without_mapping;
        continue;
      }
      entries.add(*evaluation, results.number());
      if (evaluation->fused) fused.push_back(evaluation->layer->name);
    }
  }
  if (entries.all().empty()) {
    fail(selection, "none of its results has a layer with its mapping",
         "sums have none, nor have evaluations of cost models that do not say what they evaluated");
  }
  if (without_mapping > 0) {
    fmt::print(stderr, "{}: warning: {} evaluations without a layer and its mapping are left out\n",
               selection.file, without_mapping);
  }
  if (!fused.empty()) {
    fmt::print(stderr,
               "{}: warning: by itself each of these layers costs something else than in its fused group, "
               "which fused_groups.yaml keeps: {}\n",
               selection.file, fmt::join(fused, ", "));
  }
  fmt::print("{}", core::mapping_yaml(entries.all()));
}

}  // namespace zz::host
