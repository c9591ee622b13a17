#pragma once
#include <cstddef>
#include <vector>

#include "core/allocation/allocation_search.hpp"
#include "core/schedule/scheduler.hpp"

namespace zz::core {

/// The points that no other one dominates (is as good in latency and energy and better in one). Of equal
/// points the first one stays.
class ParetoFront {
 public:
  /// True when the point now belongs to the front.
  bool add(const ScheduleChoice& choice, const ScheduleFigures& figures);
  /// True when some point is at least as good in both figures.
  bool covers(double latency, double energy) const;
  /// By ascending energy, hence by descending latency.
  const std::vector<ParetoPoint>& points() const { return points_; }

 private:
  std::vector<ParetoPoint> points_;
};

/// NSGA-II's selection of the `count` best of a population: whole fronts of the non-dominated sorting, and
/// of the last front the points with the largest crowding distance. Points with the same latency and energy
/// take part once as long as there are enough others; infeasible ones come last. Returns indices, best
/// first; ties by index.
///
/// K. Deb et al.: A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE TEC 2002.
std::vector<std::size_t> select_best(const std::vector<ScheduleFigures>& population, std::size_t count);

}  // namespace zz::core
