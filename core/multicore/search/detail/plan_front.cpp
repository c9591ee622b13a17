#include "core/multicore/search/detail/plan_front.hpp"

#include <algorithm>

namespace zz::core {

std::vector<const PlanFront::Point*> best_of(const PlanFront& front, Objective objective,
                                             std::size_t most) {
  std::vector<const PlanFront::Point*> points;
  for (const PlanFront::Point& point : front.points()) points.push_back(&point);
  std::stable_sort(points.begin(), points.end(), [&](const auto* a, const auto* b) {
    return value_of(objective, a->energy, a->latency) < value_of(objective, b->energy, b->latency);
  });
  if (points.size() > most) points.resize(most);
  return points;
}

void BestPlans::add(const Plan& plan, double latency, double energy) {
  constexpr std::size_t most = 8;
  const auto value = [&](const FrontPoint<Plan>& point) {
    return value_of(objective_, point.energy, point.latency);
  };
  if (std::any_of(points_.begin(), points_.end(), [&](const FrontPoint<Plan>& point) {
        return point.latency == latency && point.energy == energy;
      }))
    return;
  const double now = value_of(objective_, energy, latency);
  const auto place =
      std::upper_bound(points_.begin(), points_.end(), now,
                       [&](double figure, const FrontPoint<Plan>& point) { return figure < value(point); });
  if (place == points_.end() && points_.size() == most) return;
  points_.insert(place, {plan, latency, energy});
  if (points_.size() > most) points_.pop_back();
}

}  // namespace zz::core
