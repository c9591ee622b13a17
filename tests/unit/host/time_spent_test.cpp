#include "host/base/time_spent.hpp"

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

void pass_time() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

}  // namespace

TEST_CASE("time belongs to the innermost account") {
  measure_time_spent();
  {
    const Charge outer("outer");
    const Charge inner("inner");
    pass_time();
  }
  CHECK(seconds_of("inner") >= 0.02);
  CHECK(seconds_of("outer") < seconds_of("inner"));
  CHECK(time_spent().front().what == "loading the program");
}

TEST_CASE("threads are charged on their own, and nobody for what lies between") {
  measure_time_spent();
  std::thread thread([] {
    { const Charge first("first task"); }
    pass_time();
    { const Charge second("second task"); }
  });
  thread.join();
  CHECK(seconds_of("first task") < 0.02);
  CHECK(seconds_of("second task") < 0.02);
}
