#pragma once
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {

/// Lower bound of the latency of any schedule of a problem, in cycles: the largest of
/// - the longest path through the graph, with the fastest core for each layer;
/// - for each set of cores that some layers are confined to, their work divided by the number of cores,
///   after the shortest way to them and before the shortest way to the end; and the work of each group;
/// - for each link, the time that it needs for the constants and results that pass it at least once, or
///   for what is streamed instead, with the candidates that move least.
double schedule_bound(const ScheduleProblem& problem);

/// Lower bounds of one allocation, in much less time than a schedule takes.
struct AllocationBound {
  double latency = 0;  ///< cycles: the work of the busiest core; the streams of the busiest link
  double energy = 0;   ///< pJ of the nodes
};

/// `cores` are those of the genes of the problem.
AllocationBound allocation_bound(const ScheduleProblem& problem, const std::vector<int>& cores);

}  // namespace zz::core
