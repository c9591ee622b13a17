#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "core/cost/port_load.hpp"

namespace {

using zz::core::PortActivity;

/// Marks cycle by cycle what the closed form computes.
std::int64_t mark(const std::vector<PortActivity>& activities) {
  const PortActivity* longest = &activities.front();
  bool always = false;
  std::int64_t all = 0;  // cycles in which there is any activity
  for (const PortActivity& activity : activities) {
    always = always || activity.allowed == activity.period;
    all = std::max(all, activity.period * activity.count);
    if (activity.period > longest->period) longest = &activity;
  }
  if (always) return all;
  std::int64_t marked = 0;
  for (std::int64_t cycle = 0; cycle < longest->period; ++cycle) {
    bool used = false;
    for (const PortActivity& activity : activities)
      used = used || cycle % activity.period < activity.allowed;
    marked += used ? 1 : 0;
  }
  return marked * longest->count;
}

}  // namespace

TEST_CASE("window union: the closed form marks as many cycles as a walk over all of them") {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<PortActivity> activities;
    std::int64_t period = 1;
    for (int i = draw(1, 5); i > 0; --i) {
      period *= draw(1, 4);
      activities.push_back({0, draw(1, static_cast<int>(period)), period, draw(1, 3)});
    }
    std::shuffle(activities.begin(), activities.end(), random);
    CHECK(zz::core::window_union(activities) == mark(activities));
  }
}
