#include "core/cost/window_union.hpp"

#include <algorithm>
#include <array>

namespace zz::core {
namespace {

constexpr std::size_t max_activities = 48;

/// An activity among shorter ones: cycles marked in each of its periods by itself and all shorter ones.
struct Nested {
  std::int64_t period, allowed, marked;
};

/// Marked cycles among the first `cycles`, by the activities 0..last (shortest period first).
std::int64_t marked_until(const std::array<Nested, max_activities>& nested, int last, std::int64_t cycles) {
  if (last < 0) return 0;
  const Nested& outer = nested[last];
  const std::int64_t whole = cycles / outer.period * outer.marked;
  const std::int64_t rest = cycles % outer.period;
  if (rest <= outer.allowed) return whole + rest;
  return whole + outer.allowed + marked_until(nested, last - 1, rest) -
         marked_until(nested, last - 1, outer.allowed);
}

}  // namespace

std::int64_t window_union(std::span<const PortActivity> activities) {
  for (const PortActivity& activity : activities) {
    if (activity.allowed == activity.period) return activity.period * activity.count;
  }
  std::array<Nested, max_activities> nested;
  const std::size_t count = std::min(activities.size(), max_activities);
  const PortActivity* longest = &activities.front();
  for (std::size_t i = 0; i < count; ++i) {
    nested[i] = {activities[i].period, std::min(activities[i].allowed, activities[i].period), 0};
    if (activities[i].period > longest->period) longest = &activities[i];
  }
  // Insertion sort: a handful of entries, in a place that must not allocate.
  for (std::size_t i = 1; i < count; ++i) {
    const Nested moving = nested[i];
    std::size_t slot = i;
    for (; slot > 0 && nested[slot - 1].period > moving.period; --slot) nested[slot] = nested[slot - 1];
    nested[slot] = moving;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int shorter = static_cast<int>(i) - 1;
    nested[i].marked = nested[i].allowed + marked_until(nested, shorter, nested[i].period) -
                       marked_until(nested, shorter, nested[i].allowed);
  }
  return marked_until(nested, static_cast<int>(count) - 1, longest->period) * longest->count;
}

}  // namespace zz::core
