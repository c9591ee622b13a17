#pragma once
#include "core/cost/evaluation.hpp"
#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

/// A schedule as a result like any other, for reducers, savers and sums.
///
/// energy_total and the three latencies are those of the schedule; loading and off-loading are events of
/// the schedule and have no figures of their own. mac_energy is that of the nodes as far as their costs say
/// (CoreCost::evaluation), mem_energy the rest: memories and links. ideal_cycle is the work spread over
/// every unit of every core, ideal_temporal_cycle the work of the busiest core when it never stalls, so
/// that the utilisations of an evaluation mean what they mean for a single core. layer_ids are the layers
/// of the graph.
///
/// Also fills in what the parts of a schedule repeat of the graph for their readers.
Evaluation schedule_evaluation(Schedule schedule);

}  // namespace zz::core
