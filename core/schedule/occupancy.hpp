#pragma once
#include <limits>
#include <vector>

namespace zz::core {

struct TimeWindow {
  double start = 0, end = 0;
};

/// What a link carries over time, in bits per cycle, or whether a core is busy (of capacity 1): a step
/// function that only ever grows.
class Occupancy {
 public:
  void reset(double capacity);

  /// The first window from `time` on, as long as possible, of at least `duration` cycles, in which
  /// `demand` fits besides what is there. There always is one; the last one never ends.
  TimeWindow first_gap(double time, double duration, double demand) const;
  struct Stretch {
    double activity = 0, end = 0;
  };
  /// What is there at a time, and until when.
  Stretch stretch(double time) const;
  /// The most that is there at any time of a window.
  double peak(double start, double end) const;
  void occupy(double start, double end, double activity);
  double capacity() const { return capacity_; }

 private:
  std::size_t segment(double time) const;
  std::size_t breakpoint(double time);

  double capacity_ = std::numeric_limits<double>::infinity();
  std::vector<double> times_{0}, activity_{0};
};

}  // namespace zz::core
