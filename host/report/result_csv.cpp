#include "host/report/result_csv.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <string_view>

#include "core/cost/rates.hpp"
#include "core/output/csv_text.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"

namespace zz::host {
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

void add_column(std::vector<std::string>& columns, const std::string& name) {
  if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
}

}  // namespace

void ResultTable::add_columns(const ResultRows& result) {
  for (const auto& [name, value] : result.settings) add_column(settings_, name);
  for (const ResultRow& row : result.layers)
    if (const Evaluation* const evaluation = row.evaluation())
      for_each_figure(*evaluation, [&](const std::string& name, double) { add_column(figures_, name); });
}

std::string ResultTable::heading() const {
  std::vector<std::string> cells{"result",      "layer_id",  "layer", "type",
                                 "accelerator", "unrolling", "loops"};
  cells.insert(cells.end(), settings_.begin(), settings_.end());
  cells.insert(cells.end(), figures_.begin(), figures_.end());
  return core::csv_text({cells});
}

std::string ResultTable::rows(std::uint64_t number, const ResultRows& result) const {
  std::vector<std::vector<std::string>> rows;
  for (const ResultRow& row : result.layers) {
    const Evaluation* const evaluation = row.evaluation();
    if (evaluation == nullptr) continue;
    const core::Layer* layer = evaluation->layer.get();
    std::vector<std::string>& cells = rows.emplace_back();
    cells = {std::to_string(number),
             layer ? std::to_string(layer->id) : "",
             layer ? layer->name : "",
             layer ? layer->type : "",
             evaluation->accelerator ? evaluation->accelerator->name : "",
             array_unrolling_of(*evaluation),
             loops_of(*evaluation)};
    for (const std::string& wanted : settings_) {
      const auto setting = std::find_if(result.settings.begin(), result.settings.end(),
                                        [&](const auto& known) { return known.first == wanted; });
      cells.push_back(setting != result.settings.end() ? setting->second : "");
    }
    std::map<std::string, double> figures;
    for_each_figure(*evaluation, [&](const std::string& name, double figure) { figures[name] = figure; });
    for (const std::string& column : figures_) {
      const auto figure = figures.find(column);
      const bool there = figure != figures.end() && std::isfinite(figure->second);
      cells.push_back(there ? fmt::format("{}", figure->second) : "");
    }
  }
  return rows.empty() ? "" : core::csv_text(rows);
}

}  // namespace zz::host
