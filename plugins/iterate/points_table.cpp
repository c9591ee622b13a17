#include "plugins/iterate/points_table.hpp"

#include <span>

#include "core/output/csv_text.hpp"

namespace zz::plugins {
namespace {

bool is_standard(const std::string& metric) {
  return metric == "energy_total" || metric == "latency_total2" || metric == "edp";
}

/// The shortest text that reads back as the same number; empty where there is no value.
std::string cell(Ref value) {
  if (value.is_null()) return "";
  return value.kind() == ZZ_STR ? std::string(value.str()) : value.json();
}
std::string cell(double number) {
  const std::string text = make(nullptr, Literal(number)).json();
  return text == "null" ? "" : text;
}

Value figure(const PointOutcome& point, double number) {
  return point.feasible ? make(nullptr, Literal(number)) : Value();
}

}  // namespace

std::string PointsTable::csv() const {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string>& title = rows.emplace_back();
  title.emplace_back("point");
  // A point whose linked fields have no value knows only the fields before them.
  const PointOutcome* longest = &points.front();
  for (const PointOutcome& point : points)
    if (point.settings.size() > longest->settings.size()) longest = &point;
  for (const auto& setting : longest->settings) title.push_back(setting.first);
  for (const char* name : {"energy_total", "latency_total2", "edp"}) title.emplace_back(name);
  if (!is_standard(metric)) title.push_back(metric);
  for (const char* name : {"best", "reason"}) title.emplace_back(name);

  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointOutcome& point = points[i];
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(std::to_string(i));
    for (std::size_t k = 0; k < longest->settings.size(); ++k)
      row.push_back(k < point.settings.size() ? cell(point.settings[k].second.look()) : "");
    row.push_back(cell(figure(point, point.energy).look()));
    row.push_back(cell(figure(point, point.latency).look()));
    row.push_back(cell(figure(point, point.energy * point.latency).look()));
    if (!is_standard(metric)) row.push_back(point.feasible ? cell(point.figures.front()) : "");
    row.emplace_back(best == i ? "yes" : "");
    row.push_back(point.reason);
  }
  return core::csv_text(rows);
}

Value PointsTable::value() const {
  std::vector<Value> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointOutcome& point = points[i];
    const Value settings = as_map(point.settings);
    const Value energy = figure(point, point.energy), latency = figure(point, point.latency);
    const Value product = figure(point, point.energy * point.latency);
    const Value reason = point.feasible ? Value() : make(nullptr, Literal(point.reason));
    std::vector<Entry> entries{{"point", i},
                               {"settings", settings},
                               {"feasible", point.feasible},
                               {"energy_total", energy},
                               {"latency_total2", latency},
                               {"edp", product},
                               {"reason", reason}};
    Value own;
    if (!is_standard(metric)) {
      own = point.feasible ? figure(point, point.figures.front()) : Value();
      entries.emplace_back(metric, own);
    }
    all.push_back(make(nullptr, Literal(std::span<const Entry>(entries))));
  }
  const Value list_of_points = make_list(all);
  const Value number = best ? make(nullptr, Literal(*best)) : Value();
  return make(nullptr, {{"metric", metric}, {"best", number}, {"points", list_of_points}});
}

}  // namespace zz::plugins
