#include "plugins/explore/hardware_table.hpp"

#include <algorithm>
#include <span>

#include "core/output/csv_text.hpp"

namespace zz::plugins {
namespace {

/// The shortest text that reads back as the same number; empty where there is no value.
std::string cell(Ref value) {
  if (value.kind() == ZZ_STR) return std::string(value.str());
  const std::string text = value.json();
  return text == "null" ? "" : text;
}

}  // namespace

std::vector<std::pair<std::string, Value>> HardwareTable::figures_of(const HardwareOutcome& point) const {
  const auto figure = [&](double number) { return point.feasible() ? make(number) : Value(); };
  std::vector<std::pair<std::string, Value>> figures{{"energy_total", figure(point.energy)},
                                                     {"latency_total2", figure(point.latency)},
                                                     {"edp", figure(point.energy * point.latency)}};
  const auto standard = [&](const auto& known) { return known.first == metric; };
  if (std::none_of(figures.begin(), figures.end(), standard))
    figures.emplace_back(metric, figure(point.feasible() ? point.figures.front() : 0));
  return figures;
}

std::string HardwareTable::csv() const {
  // A point whose linked fields have no value knows only the fields before them.
  const HardwareOutcome& longest = *std::max_element(
      points.begin(), points.end(), [](const HardwareOutcome& one, const HardwareOutcome& other) {
        return one.settings.size() < other.settings.size();
      });
  std::vector<std::vector<std::string>> rows{{"point"}};
  for (const auto& setting : longest.settings) rows.front().push_back(setting.first);
  for (const auto& figure : figures_of(longest)) rows.front().push_back(figure.first);
  rows.front().insert(rows.front().end(), {"best", "reason"});
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<std::string> row{std::to_string(i)};
    for (const auto& setting : points[i].settings) row.push_back(cell(setting.second));
    row.resize(1 + longest.settings.size());
    for (const auto& figure : figures_of(points[i])) row.push_back(cell(figure.second));
    row.insert(row.end(), {best == i ? "yes" : "", points[i].reason});
    rows.push_back(std::move(row));
  }
  return core::csv_text(rows);
}

Value HardwareTable::value() const {
  std::vector<Value> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const HardwareOutcome& point = points[i];
    const Value settings = as_map(point.settings);
    const Value reason = point.feasible() ? Value() : make(point.reason);
    const std::vector<std::pair<std::string, Value>> figures = figures_of(point);
    std::vector<Entry> entries{{"point", i}, {"settings", settings}, {"feasible", point.feasible()}};
    for (const auto& [name, value] : figures) {
      entries.emplace_back(name, value);
      if (name == "edp") entries.emplace_back("reason", reason);
    }
    all.push_back(make(Literal(std::span<const Entry>(entries))));
  }
  const Value list_of_points = make_list(all);
  const Value number = best ? make(*best) : Value();
  return make(nullptr, {{"metric", metric}, {"best", number}, {"points", list_of_points}});
}

}  // namespace zz::plugins
