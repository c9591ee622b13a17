#pragma once
#include <vector>

namespace zz::core {

/// What a link can still carry, in slices of equal length: in which slice something goes is known, not
/// where in it. So finding room takes a step for each slice that is not full, however much the link
/// carries.
class CoarseLink {
 public:
  /// Nothing is sent yet. `slice` in cycles, `bandwidth` in bits per cycle; both positive.
  void reset(double slice, double bandwidth);

  /// Sends so many bits from `time` on, at `rate` at most, in whatever slices have room. Returns when the
  /// last of them has arrived. Without a limit of bandwidth that takes no time.
  double send(double time, double bits, double rate);

 private:
  /// The first slice from `slice` on that is not full.
  std::size_t open(std::size_t slice);

  double slice_ = 1, bandwidth_ = 1;
  std::vector<double> left_;  ///< bits by slice
  std::vector<std::size_t>
      after_;  ///< by slice: itself, or, when it is full, one at or before the next open
};

}  // namespace zz::core
