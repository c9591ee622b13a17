#include "host/base/time_spent.hpp"

#include <chrono>
#include <doctest/doctest.h>
#include <thread>

using namespace zz::host;

namespace {

double seconds_of(const std::string& what) {
  for (const TimeSpent& time : time_spent()) {
    if (time.what == what) return time.seconds;
  }
  return -1;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Passes at least 20 ms and says how many seconds it was; on a busy machine it may be many.
double pass_time() {
  const auto begin = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return seconds_since(begin);
}

}  // namespace

TEST_CASE("time belongs to the innermost account") {
  measure_time_spent();
  const auto begin = Clock::now();
  double passed = 0;
  {
    const Charge outer("outer");
    const Charge inner("inner");
    passed = pass_time();
  }
  const double all = seconds_since(begin);
  CHECK(seconds_of("inner") >= passed);
  CHECK(seconds_of("outer") >= 0);
  CHECK(seconds_of("outer") <= all - passed);
  CHECK(time_spent().front().what == "loading the program");
}

TEST_CASE("threads are charged on their own, and nobody for what lies between") {
  measure_time_spent();
  double all = 0, between = 0;
  std::thread thread([&] {
    const auto begin = Clock::now();
    { const Charge first("first task"); }
    between = pass_time();
    { const Charge second("second task"); }
    all = seconds_since(begin);
  });
  thread.join();
  CHECK(seconds_of("first task") >= 0);
  CHECK(seconds_of("second task") >= 0);
  CHECK(seconds_of("first task") + seconds_of("second task") <= all - between);
}
