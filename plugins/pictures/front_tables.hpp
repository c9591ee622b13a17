#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "plugins/pictures/picture.hpp"

namespace zz::plugins {

/// The figures that no choice can be below; 0 when not known.
struct PointBounds {
  double latency = 0;  ///< cycles
  double energy = 0;   ///< pJ
  double edp = 0;      ///< pJ * cycles
};

/// A schedule as a point, latency against energy.
struct SchedulePoint {
  std::string what;                ///< "resnet18 on quad_core"
  double latency = 0, energy = 0;  ///< cycles, pJ
  bool steady = false;  ///< in the steady state: the latency, and that of the bounds, is the period
  PointBounds bounds;
  std::string order;       ///< the choice of the next node, for people
  std::size_t nodes = 0;   ///< of the network
  std::vector<int> genes;  ///< the cores, as Schedule::allocation
  /// For people, by the label of the layer: {"6: conv", "OY in 28, core 2"}.
  std::vector<std::pair<std::string, std::string>> layers;
  bool yielded = true;  ///< the stage passes it on
  std::string page;     ///< the file that shows its schedule, beside that of the picture; "" when none does
};

/// Points as tables for their picture:
///   search {title, subtitle, figure, bound, energy_bound, edp_bound}   one row; bounds that all
///                                                                      points share, else 0
///   points {point, what, steady, latency, energy, bound, energy_bound, edp_bound, order, nodes, genes,
///           allocation, yielded, best, page}                           numbered from 1
/// `figure` is the name of the latency of the points, "period" in the steady state. `bound` is that of it.
/// `best`: no other point is as good in both figures and better in one. `allocation` is
/// SchedulePoint::layers. There must be a point.
VegaTables front_tables(const std::vector<SchedulePoint>& points, const std::string& subtitle);

/// The findings of an allocation search, by ascending energy, with the cores of each layer. The stage
/// passes on the one with the lowest latency, which is the last, or all of them.
std::vector<SchedulePoint> points_of_search(const core::ScheduleProblem& problem,
                                            const core::ScheduleSearchResult& found, bool all_yielded);

/// "48 schedules evaluated, all that there are"
std::string search_text(const core::ScheduleSearchResult& found);

/// A schedule with the cut and the cores of each layer; in the steady state by its period. Where `bounds`
/// says nothing of the latency, the bound for the schedule's own cuts stands in. The evaluation must have a
/// schedule with accelerator and graph.
SchedulePoint point_of_schedule(const core::Evaluation& evaluation, PointBounds bounds, std::string page);

}  // namespace zz::plugins
