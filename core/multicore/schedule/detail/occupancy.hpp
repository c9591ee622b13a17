#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace zz::core {

struct TimeWindow {
  double start = 0, end = 0;
};

/// The use of a link over time, in bits per cycle, or of a core (of capacity 1). A step function that only
/// grows.
class Occupancy {
 public:
  /// With a period whatever occupies it does so again and again, earlier and later, until the horizon.
  void reset(double capacity, double period = 0, double horizon = 0);

  /// The first window from `time` on that has room for `demand` during `duration` cycles, to its full
  /// length. There always is one; the last one never ends.
  TimeWindow first_gap(double time, double duration, double demand) const;
  struct Stretch {
    double activity = 0, end = 0;
  };
  /// The activity at a time, and how long it stays the same.
  Stretch stretch(double time) const;
  /// The largest activity in a window.
  double peak(double start, double end) const;
  void occupy(double start, double end, double activity);
  double capacity() const { return capacity_; }
  /// The steps: from each of the times on there is the activity beside it.
  const std::vector<double>& times() const { return times_; }
  const std::vector<double>& activity() const { return activity_; }

 private:
  std::size_t segment(double time) const;
  std::size_t breakpoint(double time);
  void occupy_once(double start, double end, double activity);

  double period_ = 0, horizon_ = 0;
  double capacity_ = std::numeric_limits<double>::infinity();
  std::vector<double> times_{0}, activity_{0};
};

/// Bits in use of one memory over time: a step function that may also be changed in the past. Bits are
/// doubles, which are exact up to 2^53 and fast to add up.
class MemoryUsage {
 public:
  void reset(double size);

  /// The first cycle from `time` on from which `bits` fit for good, as far as changes are known. When they
  /// do not even fit after the last change: the time of that change, which may be before `time`.
  double earliest_fit(double bits, double time) const;
  double at(double time) const;
  /// Adds `bits` from `time` on; negative ones are removed. False when the memory then overflows at the
  /// time of a change made before.
  bool change(double time, double bits);

  double size() const { return size_; }
  const std::vector<double>& times() const { return times_; }
  const std::vector<double>& bits() const { return bits_; }

 private:
  /// Last change at or before `time`.
  std::size_t segment(double time) const;

  double size_ = 0;
  /// An upper bound of the use at any time. As long as the sum of all that came in fits, it is that sum,
  /// which is cheap to know.
  double highest_ = 0;
  bool all_fits_ = true;
  std::vector<double> times_{0}, bits_{0};
};

/// The transfers of each tensor, for multicast: a core may receive a tensor from a transfer that the sender
/// makes for another core at the same time, so that links on both routes carry it once.
class TransferHistory {
 public:
  struct Entry {
    int sender = 0, receiver = 0;  ///< cores
    double start = 0, end = 0;
    int earlier = -1;  ///< the transfer of the same tensor noted before, or -1
  };

  void reset(int tensors) {
    latest_.assign(tensors, -1);
    entries_.clear();
  }
  void note(int tensor, const Entry& entry) {
    entries_.push_back(entry);
    entries_.back().earlier = latest_[tensor];
    latest_[tensor] = static_cast<int>(entries_.size()) - 1;
  }
  /// Index of the transfer of the tensor noted last, or -1.
  int latest(int tensor) const { return latest_[tensor]; }
  const Entry& operator[](int entry) const { return entries_[entry]; }

 private:
  std::vector<int> latest_;
  std::vector<Entry> entries_;
};

/// The demand on a link.
struct LinkRequest {
  int link = 0;
  double demand = 0;  ///< bits per cycle, no more than its bandwidth
};

/// The earliest cycle from `time` on at which all links have room for `duration` cycles.
double first_common_gap(const std::vector<Occupancy>& links, std::span<const LinkRequest> requests,
                        double time, double duration);

}  // namespace zz::core
