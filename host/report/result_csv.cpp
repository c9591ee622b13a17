#include "host/report/result_csv.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/cost/rates.hpp"
#include "core/output/csv_text.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"

namespace zz::host {
namespace {

using core::Evaluation;
using Json = nlohmann::ordered_json;

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

void ResultTable::add(std::uint64_t number, const ResultRows& result) {
  for (const auto& [name, value] : result.settings) add_column(settings_, name);
  for (const ResultRow& row : result.layers) {
    const Evaluation* const evaluation = row.evaluation();
    if (evaluation == nullptr) continue;
    const core::Layer* const layer = evaluation->layer.get();
    Json one{{"result", number},
             {"cells",
              {layer ? std::to_string(layer->id) : "", layer ? layer->name : "", layer ? layer->type : "",
               evaluation->accelerator ? evaluation->accelerator->name : "",
               array_unrolling_of(*evaluation), loops_of(*evaluation)}},
             {"settings", Json::object()},
             {"figures", Json::object()}};
    for (const auto& [name, value] : result.settings) one["settings"][name] = value;
    for_each_figure(*evaluation, [&](const std::string& name, double figure) {
      add_column(figures_, name);
      one["figures"][name] = figure;
    });
    rows_.add(one);
  }
}

void ResultTable::write(const std::function<void(const std::string&)>& print) const {
  std::vector<std::string> heading{"result",      "layer_id",  "layer", "type",
                                   "accelerator", "unrolling", "loops"};
  heading.insert(heading.end(), settings_.begin(), settings_.end());
  heading.insert(heading.end(), figures_.begin(), figures_.end());
  print(core::csv_text({heading}));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Json row = rows_.at(i);
    std::vector<std::string> cells{std::to_string(row["result"].get<std::uint64_t>())};
    for (const Json& cell : row["cells"]) cells.push_back(cell.get<std::string>());
    const Json &settings = row["settings"], &figures = row["figures"];
    for (const std::string& wanted : settings_) cells.push_back(settings.value(wanted, ""));
    for (const std::string& column : figures_) {
      const auto figure = figures.find(column);
      const double value = figure == figures.end() ? std::nan("") : figure->get<double>();
      cells.push_back(std::isfinite(value) ? fmt::format("{}", value) : "");
    }
    print(core::csv_text({cells}));
  }
}

}  // namespace zz::host
