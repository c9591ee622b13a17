#include "plugins/pictures/front_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/multicore/schedule/schedule.hpp"
#include "core/search/methods/pareto_front.hpp"
#include "plugins/pictures/cut_reports.hpp"
#include "plugins/pictures/labels.hpp"

namespace zz::plugins {
namespace {

/// True for each point that no other one beats.
std::vector<bool> unbeaten(const std::vector<SchedulePoint>& points) {
  core::ParetoFront<std::size_t> front;
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

const char* name_of_latency(const std::vector<SchedulePoint>& points) {
  const auto steady =
      std::count_if(points.begin(), points.end(), [](const SchedulePoint& point) { return point.steady; });
  if (steady == 0) return "latency";
  return steady == static_cast<std::ptrdiff_t>(points.size()) ? "period" : "latency or period";
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
                    {"steady", point.steady},
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
                    {"figure", name_of_latency(points)},
                    {"bound", common(points, &PointBounds::latency)},
                    {"energy_bound", common(points, &PointBounds::energy)},
                    {"edp_bound", common(points, &PointBounds::edp)}});
  return {{"search", std::move(search)}, {"points", std::move(rows)}};
}

namespace {

std::string order_text(std::string_view dispatch, bool ranked, bool back_filling) {
  std::string text = dispatch == "earliest_start"  ? "earliest start"
                     : dispatch == "critical_path" ? "critical path"
                     : ranked                      ? ""
                                                   : "given order";
  if (ranked) text = text.empty() ? "searched order" : "searched order, " + text;
  if (back_filling) text += ", gaps filled";
  return text;
}

std::string title(const core::ComputationNodeGraph& graph, const core::MultiCoreAccelerator& accelerator) {
  return graph.name + " on " + accelerator.name;
}

/// {"6: conv", "core 2"}, {"7: conv", "cores 0, 1, 1, 3"}: of its groups in order.
std::vector<std::pair<std::string, std::string>> allocation(const core::ScheduleProblem& problem,
                                                            const core::ScheduleChoice& choice) {
  std::vector<std::pair<std::string, std::string>> layers;
  const std::vector<core::Gene>& genes = problem.genes();
  for (std::size_t begin = 0; begin < genes.size();) {
    std::size_t end = begin + 1;
    bool same = true;
    for (; end < genes.size() && genes[end].layer == genes[begin].layer; ++end)
      same = same && choice.cores[end] == choice.cores[begin];
    const auto first = choice.cores.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = choice.cores.begin() + static_cast<std::ptrdiff_t>(end);
    layers.emplace_back(layer_label(*problem.graph()->layers[genes[begin].layer].layer),
                        same ? core_label(*problem.accelerator(), *first)
                             : fmt::format("cores {}", fmt::join(first, last, ", ")));
    begin = end;
  }
  return layers;
}

}  // namespace

std::string search_text(const core::ScheduleSearchResult& found) {
  std::string text = fmt::format("{} schedules evaluated{}", found.schedules,
                                 found.exhaustive ? ", all that there are" : "");
  if (found.infeasible > 0) text += fmt::format(", {} did not fit", found.infeasible);
  return text;
}

std::vector<SchedulePoint> points_of_search(const core::ScheduleProblem& problem,
                                            const core::ScheduleSearchResult& found, bool all_yielded) {
  std::vector<SchedulePoint> points;
  for (const core::FoundSchedule& one : found.front) {
    const core::ScheduleChoice& choice = one.choice;
    SchedulePoint& point = points.emplace_back();
    point.what = title(*problem.graph(), *problem.accelerator());
    point.latency = one.latency;
    point.steady = choice.period == core::ScheduleChoice::least_period;
    point.energy = one.energy;
    point.bounds.latency = found.bounds.latency.value;
    point.order =
        order_text(core::dispatch_name(choice.dispatch), !choice.layer_offset.empty(), choice.back_filling);
    point.nodes = problem.graph()->nodes.size();
    point.genes = choice.cores;
    point.layers = allocation(problem, choice);
    point.yielded = all_yielded || points.size() == found.front.size();
  }
  return points;
}

SchedulePoint point_of_schedule(const core::Evaluation& evaluation, PointBounds bounds, std::string page) {
  const core::Schedule& schedule = *evaluation.schedule;
  SchedulePoint point;
  point.what = title(*schedule.graph, *schedule.accelerator);
  point.steady = schedule.period > 0;
  point.latency = point.steady ? schedule.period : evaluation.latency_total2;
  point.energy = evaluation.energy_total;
  point.bounds = bounds;
  if (bounds.latency == 0) point.bounds.latency = schedule.latency_bound;
  point.order = order_text(schedule.dispatch, !schedule.layer_ranks.empty(), schedule.back_filling);
  point.nodes = schedule.graph->nodes.size();
  point.genes = schedule.allocation;
  point.page = std::move(page);
  for (const CutReport& cut : cut_reports(schedule)) {
    std::string text = cut.loops;
    if (cut.cores.size() == 1)
      text += ", " + core_label(*schedule.accelerator, cut.cores.front());
    else if (!cut.cores.empty())
      text += fmt::format(", cores {}", fmt::join(cut.cores, ", "));
    point.layers.emplace_back(layer_label(*schedule.graph->layers[cut.layer].layer), std::move(text));
  }
  return point;
}

}  // namespace zz::plugins
