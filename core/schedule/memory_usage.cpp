#include "core/schedule/memory_usage.hpp"

#include <algorithm>

namespace zz::core {

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

}  // namespace zz::core
