#include "core/output/vega/front_tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/search/methods/pareto_front.hpp"

namespace zz::core {
namespace {

/// Whether no other one beats a point.
std::vector<bool> unbeaten(const std::vector<SchedulePoint>& points) {
  ParetoFront<std::size_t> front;
  for (std::size_t i = 0; i < points.size(); ++i) front.add(i, points[i].latency, points[i].energy);
  std::vector<bool> unbeaten(points.size(), false);
  for (const auto& point : front.points()) unbeaten[point.choice] = true;
  return unbeaten;
}

/// A bound that all points share, or 0.
double common(const std::vector<SchedulePoint>& points, double PointBounds::*bound) {
  const double first = points.front().bounds.*bound;
  return std::all_of(points.begin(), points.end(),
                     [&](const SchedulePoint& point) { return point.bounds.*bound == first; })
             ? first
             : 0;
}

}  // namespace

VegaTables front_tables(const std::vector<SchedulePoint>& points, const std::string& subtitle) {
  const std::string& first = points.front().what;
  const bool one_problem = std::all_of(points.begin(), points.end(),
                                       [&](const SchedulePoint& point) { return point.what == first; });
  const std::vector<bool> best = unbeaten(points);
  VegaTables rows = VegaTables::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SchedulePoint& point = points[i];
    VegaTables layers = VegaTables::object();
    for (const auto& [label, text] : point.layers) layers[label] = text;
    rows.push_back({{"point", i + 1},
                    {"what", point.what},
                    {"latency", point.latency},
                    {"energy", point.energy},
                    {"bound", point.bounds.latency},
                    {"energy_bound", point.bounds.energy},
                    {"edp_bound", point.bounds.edp},
                    {"order", point.order},
                    {"nodes", point.nodes},
                    {"genes", point.genes},
                    {"allocation", std::move(layers)},
                    {"yielded", point.yielded},
                    {"best", bool{best[i]}},
                    {"page", point.page}});
  }
  VegaTables search = VegaTables::array();
  search.push_back({{"title", one_problem ? first : fmt::format("{} schedules", points.size())},
                    {"subtitle", subtitle},
                    {"bound", common(points, &PointBounds::latency)},
                    {"energy_bound", common(points, &PointBounds::energy)},
                    {"edp_bound", common(points, &PointBounds::edp)}});
  return {{"search", std::move(search)}, {"points", std::move(rows)}};
}

}  // namespace zz::core
