#include "core/base/interruption.hpp"

#include <algorithm>

namespace zz::core {
namespace {

using TimePoint = Interruption::Clock::time_point;

/// Further away is never.
constexpr double most_seconds = 1e9;

TimePoint from_now(double seconds) {
  if (!(seconds < most_seconds)) return TimePoint::max();
  return Interruption::Clock::now() +
         std::chrono::duration_cast<Interruption::Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

constinit thread_local Interruption interruption;
static_assert(std::atomic<bool>::is_always_lock_free);

Deadline::Deadline(double seconds)
    : own_(from_now(seconds)), within_({interruption.run, std::min(own_, interruption.until)}) {}

}  // namespace zz::core
