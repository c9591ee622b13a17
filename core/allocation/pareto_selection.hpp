#pragma once
#include <cstddef>
#include <vector>

#include "core/schedule/scheduler.hpp"

namespace zz::core {

/// The `count` best of a population: whole fronts of points that do not beat each other, the last one by
/// how far its points are from their neighbours. Of points with equal figures only the first takes part, as
/// long as there are enough; infeasible ones come last. Returns indices, best first; ties by index.
///
/// K. Deb et al.: A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE TEC 2002.
std::vector<std::size_t> select_best(const std::vector<ScheduleFigures>& population, std::size_t count);

}  // namespace zz::core
