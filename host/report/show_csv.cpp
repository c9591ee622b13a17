#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "core/output/archive/contained_evaluations.hpp"
#include "core/output/csv_text.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "host/report/show_formats.hpp"

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

/// All figures that are one number, and the metrics that stages added.
void for_each_figure(const Evaluation& evaluation, const FigureVisitor& use) {
  const core::Ref object{core::word_of(&evaluation), core::type_of<Evaluation>()};
  for_each_number(object, use);
  for_each_number(core::part(object, core::intern("metrics")), use);
}

/// The columns of all results, in the order in which they come first.
std::vector<std::string> figure_columns(const Selection& selection) {
  SelectedResults results(selection, core::ArchiveReader::As::objects);
  std::vector<std::string> columns;
  std::map<std::string, bool> known;
  while (results.next()) {
    for (const auto& evaluation : core::contained_evaluations(results.evaluation(), results.extra()))
      for_each_figure(*evaluation, [&](const std::string& name, double) {
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
    for (const auto& evaluation : core::contained_evaluations(results.evaluation(), results.extra())) {
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

}  // namespace zz::host
