#pragma once
#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {

/// Cycles that the busiest link of any schedule needs for what no allocation can avoid. Each group of nodes
/// brings its constants from the off-chip memory and writes its results there once, or streams them for
/// every node, whichever of its candidate cores moves fewer bits; streamed inputs have been written before.
///
/// By Stream's rules streams overlap at no cost, and count nothing.
double traffic_bound(const ScheduleProblem::Tables& tables);

}  // namespace zz::core
