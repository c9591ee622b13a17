#pragma once
#include <vector>

namespace zz::core {

/// Bits in use of one memory over time: a step function that may be changed in the past. Bits are doubles:
/// exact up to 2^53, and quick to add up.
class MemoryUsage {
 public:
  void reset(double size);

  /// The first cycle from `time` on at which `bits` fit until the end of all changes so far, or, when they
  /// never fit because of what is there at the end, the time of the last change (which may be before
  /// `time`).
  double earliest_fit(double bits, double time) const;
  double at(double time) const;
  /// Adds `bits` (or removes them, when negative) from `time` on. False when that exceeds the size at the
  /// time of an earlier change.
  bool change(double time, double bits);

  double size() const { return size_; }
  const std::vector<double>& times() const { return times_; }
  const std::vector<double>& bits() const { return bits_; }

 private:
  /// Last change at or before `time`.
  std::size_t segment(double time) const;

  double size_ = 0;
  /// No use since the reset was higher. While even the sum of all that came in fits, it is that sum, which
  /// costs nothing.
  double highest_ = 0;
  bool all_fits_ = true;
  std::vector<double> times_{0}, bits_{0};
};

}  // namespace zz::core
