#include "core/multicore/schedule/detail/occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zz::core {

void Occupancy::reset(double capacity, double period, double horizon) {
  capacity_ = capacity;
  period_ = period;
  horizon_ = horizon;
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
  if (period_ <= 0) {
    occupy_once(start, end, activity);
    return;
  }
  for (double shift = -std::floor(end / period_) * period_; start + shift < horizon_ || shift <= 0;
       shift += period_)
    occupy_once(std::max(0.0, start + shift), end + shift, activity);
}

void Occupancy::occupy_once(double start, double end, double activity) {
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

void MemoryUsage::reset(double size) {
  size_ = size;
  highest_ = 0;
  all_fits_ = true;
  times_.assign(1, 0);
  bits_.assign(1, 0);
}

std::size_t MemoryUsage::segment(double time) const {
  // Most questions are about the latest times.
  if (time >= times_.back()) return times_.size() - 1;
  const auto after = std::upper_bound(times_.begin(), times_.end(), time);
  return after == times_.begin() ? 0 : static_cast<std::size_t>(after - times_.begin()) - 1;
}

double MemoryUsage::earliest_fit(double bits, double time) const {
  if (highest_ + bits <= size_) return time;
  const double most = size_ - bits;
  const std::size_t last = bits_.size() - 1;
  if (bits_[last] > most) return times_[last];
  const std::size_t first = segment(time);
  for (std::size_t i = last; i > first; --i) {
    if (bits_[i - 1] > most) return times_[i];
  }
  return time;
}

double MemoryUsage::at(double time) const { return bits_[segment(time)]; }

bool MemoryUsage::change(double time, double bits) {
  if (all_fits_ && bits > 0) {
    all_fits_ = highest_ + bits <= size_;
    highest_ = all_fits_ ? highest_ + bits : *std::max_element(bits_.begin(), bits_.end());
  }
  const std::size_t before = segment(time);
  const std::size_t first = times_[before] == time ? before : before + 1;
  double highest = 0;
  if (all_fits_ || bits <= 0) {
    for (std::size_t i = first; i < bits_.size(); ++i) bits_[i] += bits;
  } else {
    for (std::size_t i = first; i < bits_.size(); ++i) {
      bits_[i] += bits;
      highest = std::max(highest, bits_[i]);
    }
  }
  const bool within = highest <= size_;
  if (first != before) {
    const double here = bits_[before] + bits;
    times_.insert(times_.begin() + first, time);
    bits_.insert(bits_.begin() + first, here);
    highest = std::max(highest, here);
  }
  if (!all_fits_) highest_ = std::max(highest_, highest);
  return within;
}

double first_common_gap(const std::vector<Occupancy>& links, std::span<const LinkRequest> requests,
                        double time, double duration) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const LinkRequest& request : requests) {
      const double start = links[request.link].first_gap(time, duration, request.demand).start;
      if (start > time) {
        time = start;
        moved = requests.size() > 1;
      }
    }
  }
  return time;
}

}  // namespace zz::core
