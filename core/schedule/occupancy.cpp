#include "core/schedule/occupancy.hpp"

#include <algorithm>

namespace zz::core {

void Occupancy::reset(double capacity) {
  capacity_ = capacity;
  times_.assign(1, 0);
  activity_.assign(1, 0);
}

std::size_t Occupancy::segment(double time) const {
  if (time >= times_.back()) return times_.size() - 1;
  const auto after = std::upper_bound(times_.begin(), times_.end(), time);
  return after == times_.begin() ? 0 : static_cast<std::size_t>(after - times_.begin()) - 1;
}

TimeWindow Occupancy::first_gap(double time, double duration, double demand) const {
  const std::size_t count = times_.size();
  std::size_t i = segment(time);
  for (;;) {
    while (i < count && activity_[i] + demand > capacity_) ++i;
    const double start = i < count ? std::max(time, times_[i]) : time;
    while (i < count && activity_[i] + demand <= capacity_) ++i;
    if (i >= count) return {start, std::numeric_limits<double>::infinity()};
    if (times_[i] - start >= duration) return {start, times_[i]};
  }
}

Occupancy::Stretch Occupancy::stretch(double time) const {
  const std::size_t i = segment(time);
  const bool last = i + 1 == times_.size();
  return {activity_[i], last ? std::numeric_limits<double>::infinity() : times_[i + 1]};
}

double Occupancy::peak(double start, double end) const {
  double most = 0;
  for (std::size_t i = segment(start); i < times_.size() && times_[i] < end; ++i) {
    most = std::max(most, activity_[i]);
  }
  return most;
}

std::size_t Occupancy::breakpoint(double time) {
  const std::size_t before = segment(time);
  if (times_[before] == time) return before;
  times_.insert(times_.begin() + before + 1, time);
  activity_.insert(activity_.begin() + before + 1, activity_[before]);
  return before + 1;
}

void Occupancy::occupy(double start, double end, double activity) {
  if (end <= start || activity == 0) return;
  const std::size_t first = breakpoint(start), last = breakpoint(end);
  for (std::size_t i = first; i < last; ++i) activity_[i] += activity;
  // Neighbours that became equal are one: what is busy stays a short list.
  if (activity_[last] == activity_[last - 1]) {
    times_.erase(times_.begin() + last);
    activity_.erase(activity_.begin() + last);
  }
  if (first > 0 && activity_[first] == activity_[first - 1]) {
    times_.erase(times_.begin() + first);
    activity_.erase(activity_.begin() + first);
  }
}

}  // namespace zz::core
