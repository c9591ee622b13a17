#pragma once
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {

/// Lower bounds of one allocation, in much less time than a schedule takes.
struct QuickBound {
  double latency = 0;  ///< cycles: the work of the busiest core; the streams of the busiest link
  double energy = 0;   ///< pJ of the nodes
};

/// `cores` are those of the genes of the problem.
QuickBound quick_bound(const ScheduleProblem& problem, const std::vector<int>& cores);

}  // namespace zz::core
