#include "core/output/vega/front_figures.hpp"

#include <fmt/format.h>

#include "core/output/result_names.hpp"
#include "core/output/schedule_rows.hpp"

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
std::string allocation(const ScheduleProblem& problem, const ScheduleChoice& choice) {
  TextBuffer text;
  {
    FigureRow layers(text);
    const std::vector<Gene>& genes = problem.genes();
    for (std::size_t begin = 0; begin < genes.size();) {
      std::size_t end = begin + 1;
      bool same = true;
      for (; end < genes.size() && genes[end].layer == genes[begin].layer; ++end)
        same = same && choice.cores[end] == choice.cores[begin];
      const auto first = choice.cores.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = choice.cores.begin() + static_cast<std::ptrdiff_t>(end);
      layers.add_named(layer_label(*problem.graph()->layers[genes[begin].layer].layer),
                       same ? core_label(*problem.accelerator(), *first)
                            : fmt::format("cores {}", fmt::join(first, last, ", ")));
      begin = end;
    }
  }
  return text.text();
}

}  // namespace

FigureTables front_tables(const ScheduleProblem& problem, const AllocationResult& found, bool all_yielded) {
  FigureTables tables{"search", "points"};
  std::string subtitle = fmt::format("{} schedules evaluated{}", found.evaluations,
                                     found.exhaustive ? ", all that there are" : "");
  if (found.infeasible > 0) subtitle += fmt::format(", {} did not fit", found.infeasible);
  tables["search"]
      .row()
      .add("title", problem.graph()->name + " on " + problem.accelerator()->name)
      .add("subtitle", subtitle)
      .add("bound", found.latency_bound);
  for (std::size_t i = 0; i < found.front.size(); ++i) {
    const ParetoPoint& point = found.front[i];
    tables["points"]
        .row()
        .add("point", i + 1)
        .add("latency", point.latency)
        .add("energy", point.energy)
        .add("order", order_text(point.choice))
        .add("yielded", all_yielded || i + 1 == found.front.size())
        .add("genes", point.choice.cores)
        .literal("allocation", allocation(problem, point.choice));
  }
  return tables;
}

}  // namespace zz::core
