#include "core/allocation/coarse_link.hpp"

#include <algorithm>
#include <cmath>

namespace zz::core {
namespace {

/// What is left of a slice after rounding counts as nothing.
constexpr double negligible = 1e-6;

}  // namespace

void CoarseLink::reset(double slice, double bandwidth) {
  slice_ = slice;
  bandwidth_ = bandwidth;
  left_.clear();
  after_.clear();
}

std::size_t CoarseLink::open(std::size_t slice) {
  for (;;) {
    while (after_.size() <= slice) {
      left_.push_back(slice_ * bandwidth_);
      after_.push_back(after_.size());
    }
    if (after_[slice] == slice) return slice;
    // Shorter for who comes this way again.
    const std::size_t next = after_[slice];
    if (next < after_.size()) after_[slice] = after_[next];
    slice = next;
  }
}

double CoarseLink::send(double time, double bits, double rate) {
  if (bits <= 0 || std::isinf(bandwidth_)) return time;
  std::size_t slice = open(static_cast<std::size_t>(time / slice_));
  for (;;) {
    const double begin = static_cast<double>(slice) * slice_;
    time = std::max(time, begin);
    const double most = std::min(left_[slice], rate * (begin + slice_ - time));
    const double part = std::min(bits, std::max(most, 0.0));
    left_[slice] -= part;
    if (left_[slice] <= negligible * slice_ * bandwidth_) after_[slice] = slice + 1;
    bits -= part;
    if (bits <= 0) return time + part / rate;
    slice = open(slice + 1);
  }
}

}  // namespace zz::core
