#include "core/output/vega/front_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string>

#include "core/output/labels.hpp"

namespace zz::core {
namespace {

std::string order_text(const ScheduleChoice& choice) {
  std::string text = choice.dispatch == DispatchRule::rank             ? "given order"
                     : choice.dispatch == DispatchRule::earliest_start ? "earliest start"
                                                                       : "critical path";
  if (!choice.layer_offset.empty()) text = "searched order, " + text;
  if (choice.back_filling) text += ", gaps filled";
  return text;
}

/// {"6: conv": "core 2"}, {"7: conv": "cores 0, 1, 1, 3"}: of its groups in order.
VegaTables allocation(const ScheduleProblem& problem, const ScheduleChoice& choice) {
  VegaTables layers = VegaTables::object();
  const std::vector<Gene>& genes = problem.genes();
  for (std::size_t begin = 0; begin < genes.size();) {
    std::size_t end = begin + 1;
    bool same = true;
    for (; end < genes.size() && genes[end].layer == genes[begin].layer; ++end)
      same = same && choice.cores[end] == choice.cores[begin];
    const auto first = choice.cores.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = choice.cores.begin() + static_cast<std::ptrdiff_t>(end);
    layers[layer_label(*problem.graph()->layers[genes[begin].layer].layer)] =
        same ? core_label(*problem.accelerator(), *first)
             : fmt::format("cores {}", fmt::join(first, last, ", "));
    begin = end;
  }
  return layers;
}

}  // namespace

VegaTables front_tables(const ScheduleProblem& problem, const AllocationResult& found, bool all_yielded) {
  std::string subtitle = fmt::format("{} schedules evaluated{}", found.evaluations,
                                     found.exhaustive ? ", all that there are" : "");
  if (found.infeasible > 0) subtitle += fmt::format(", {} did not fit", found.infeasible);
  VegaTables points = VegaTables::array();
  for (std::size_t i = 0; i < found.front.size(); ++i) {
    const ParetoPoint& point = found.front[i];
    points.push_back({{"point", i + 1},
                      {"latency", point.latency},
                      {"energy", point.energy},
                      {"order", order_text(point.choice)},
                      {"yielded", all_yielded || i + 1 == found.front.size()},
                      {"genes", point.choice.cores},
                      {"allocation", allocation(problem, point.choice)}});
  }
  VegaTables search = VegaTables::array();
  search.push_back({{"title", problem.graph()->name + " on " + problem.accelerator()->name},
                    {"subtitle", subtitle},
                    {"bound", found.latency_bound}});
  return {{"search", std::move(search)}, {"points", std::move(points)}};
}

}  // namespace zz::core
