#pragma once
#include <algorithm>
#include <utility>
#include <vector>

namespace zz::core {

/// A choice with its latency (cycles) and energy (pJ).
template <class Choice>
struct FrontPoint {
  Choice choice;
  double latency = 0, energy = 0;
};

/// The points that no other one dominates (is as good in latency and energy and better in one). Of equal
/// points the first one stays.
template <class Choice>
class ParetoFront {
 public:
  using Point = FrontPoint<Choice>;

  /// True when the point now belongs to the front.
  bool add(const Choice& choice, double latency, double energy) {
    if (covers(latency, energy)) return false;
    const auto position =
        std::lower_bound(points_.begin(), points_.end(), energy,
                         [](const Point& point, double limit) { return point.energy < limit; });
    auto beaten = position;
    while (beaten != points_.end() && beaten->latency >= latency) ++beaten;
    points_.insert(points_.erase(position, beaten), {choice, latency, energy});
    return true;
  }

  /// True when some point is at least as good in both figures.
  bool covers(double latency, double energy) const {
    // The last point that takes no more energy has the smallest latency of those.
    const auto after =
        std::upper_bound(points_.begin(), points_.end(), energy,
                         [](double limit, const Point& point) { return limit < point.energy; });
    return after != points_.begin() && after[-1].latency <= latency;
  }

  /// By ascending energy, hence by descending latency.
  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
};

}  // namespace zz::core
