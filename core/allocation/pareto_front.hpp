#pragma once
#include <vector>

#include "core/allocation/allocation_search.hpp"

namespace zz::core {

/// Points none of which is beaten by another one: as good in both figures and better in one. Of equal
/// points the first to come stays.
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

}  // namespace zz::core
