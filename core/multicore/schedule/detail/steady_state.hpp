#pragma once
#include <vector>

#include "core/multicore/schedule/detail/schedule_state.hpp"

namespace zz::core {

// A schedule that begins again every so many cycles: what stays between repeats, and how soon one can
// begin. (B. R. Rau: Iterative Modulo Scheduling, 1994, calls the period an initiation interval.) Where it
// is not given, a schedule stays as it is, and the least one follows from it. Where it is given, nodes and
// transfers are placed where no other repeat has any; memories are looked at in the end.

/// Use of a core, a link or a memory by one repeat: a step function.
struct RepeatedUse {
  struct Stretch {
    double start = 0, end = 0, amount = 0;
  };
  double capacity = 0;
  std::vector<Stretch> stretches;  ///< one after the other
};

/// The least whole period, from one on, at which no capacity is exceeded at any time, however many repeats
/// are under way. A repeat by itself must not exceed one.
double least_period(const std::vector<RepeatedUse>& uses, double from = 1);

/// The uses of a schedule that has been made without a given period and takes so many cycles, apart from
/// what stays in memories.
std::vector<RepeatedUse> repeated_uses(const ScheduleState& state, double latency);

/// Notes a failure where repeats of a schedule that has been made for this period collide.
void find_collision(ScheduleState& state, double period, double latency);

/// Notes which layers stay (ScheduleState::resident), of those that are wanted (ScheduleChoice::resident).
void keep_resident_layers(ScheduleState& state, const std::vector<int>& wanted);

}  // namespace zz::core
