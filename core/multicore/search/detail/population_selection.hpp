#pragma once
#include <cstddef>
#include <vector>

#include "core/multicore/schedule/scheduler.hpp"

namespace zz::core {

/// NSGA-II's selection of the `count` best of a population: whole fronts of the non-dominated sorting, and
/// of the last front the points with the largest crowding distance. Points with the same latency and energy
/// take part once as long as there are enough others; infeasible ones come last. Returns indices, best
/// first; ties by index.
///
/// K. Deb et al.: A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE TEC 2002.
std::vector<std::size_t> select_best(const std::vector<ScheduleFigures>& population, std::size_t count);

}  // namespace zz::core
