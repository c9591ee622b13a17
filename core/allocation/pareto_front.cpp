#include "core/allocation/pareto_front.hpp"

#include <algorithm>

namespace zz::core {

bool ParetoFront::covers(double latency, double energy) const {
  // The last point that takes no more energy has the smallest latency of those.
  const auto after =
      std::upper_bound(points_.begin(), points_.end(), energy,
                       [](double limit, const ParetoPoint& point) { return limit < point.energy; });
  return after != points_.begin() && after[-1].latency <= latency;
}

bool ParetoFront::add(const ScheduleChoice& choice, const ScheduleFigures& figures) {
  if (!figures.feasible || covers(figures.latency, figures.energy)) return false;
  const auto place =
      std::lower_bound(points_.begin(), points_.end(), figures.energy,
                       [](const ParetoPoint& point, double energy) { return point.energy < energy; });
  auto beaten = place;
  while (beaten != points_.end() && beaten->latency >= figures.latency) ++beaten;
  const auto next = points_.erase(place, beaten);
  points_.insert(next, {choice, figures.latency, figures.energy});
  return true;
}

}  // namespace zz::core
