#pragma once
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "core/output/vega/front_tables.hpp"

namespace zz::core {

/// The findings of an allocation search, by ascending energy, with the cores of each layer. The stage
/// passes on the one with the lowest latency, which is the last, or all of them.
std::vector<SchedulePoint> points_of_search(const ScheduleProblem& problem,
                                            const ScheduleSearchResult& found, bool all_yielded);

/// "48 schedules evaluated, all that there are"
std::string search_text(const ScheduleSearchResult& found);

/// A schedule with the cut and the cores of each layer. Where `bounds` says nothing of the latency, the
/// bound for the schedule's own cuts stands in. The evaluation must have a schedule with accelerator and
/// graph.
SchedulePoint point_of_schedule(const Evaluation& evaluation, PointBounds bounds, std::string page);

}  // namespace zz::core
