#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {

/// Steps of schedule_bound(), over all allocations that it looks at.
inline constexpr std::int64_t most_steps_of_bound = 5'000'000;

/// Lower bound of the latency of any schedule of a problem, in cycles: the larger of
/// - what waits for what, on cores and links (detail/waiting_bound.hpp), for the allocation that waits
///   least; of problems with many allocations some groups stay without a core;
/// - for each link, the time that it needs for the constants and results that pass it at least once, or
///   for what is streamed instead, with the candidates that move least.
///
/// `allocations`: of a part of the groups that are looked at at most; 0: every group stays without a core.
/// More than `enough` is of no interest.
double schedule_bound(const ScheduleProblem& problem, std::int64_t allocations = 4096,
                      double enough = std::numeric_limits<double>::infinity());

/// Lower bound of the period of any schedule of a problem, and so of its latency, where the constants of
/// `resident` layers may stay from repeat to repeat: the largest of
/// - for each set of cores that some nodes are confined to, the least work of these by the number of cores;
/// - for each link, the time that it needs for the constants of the other layers, for inputs and results,
///   or for what is streamed instead, with the candidates that move least.
double period_bound(const ScheduleProblem& problem, const std::vector<int>& resident);

/// Lower bounds of one allocation, in much less time than a schedule takes.
struct AllocationBound {
  double latency = 0;  ///< cycles: the work of the busiest core; the streams of the busiest link
  double energy = 0;   ///< pJ of the nodes
};

/// `cores` are those of the genes of the problem.
AllocationBound allocation_bound(const ScheduleProblem& problem, const std::vector<int>& cores);

}  // namespace zz::core
