#include "host/base/thread_pool.hpp"

#include <atomic>
#include <doctest/doctest.h>
#include <thread>
#include <vector>

using zz::host::ThreadPool;

TEST_CASE("every index runs once, whatever the width") {
  for (const unsigned width : {1U, 2U, 5U}) {
    ThreadPool pool(width);
    CHECK(pool.width() == width);
    std::vector<int> runs(1000, 0);
    pool.for_each(1000, [&](std::uint32_t i) { ++runs[i]; });
    for (const int count : runs) REQUIRE(count == 1);
    pool.for_each(0, [&](std::uint32_t) { FAIL("no index to run"); });
  }
}

TEST_CASE("loops nest without deadlock") {
  ThreadPool pool(4);
  std::atomic<int> sum{0};
  pool.for_each(20, [&](std::uint32_t) {
    pool.for_each(20, [&](std::uint32_t) { pool.for_each(3, [&](std::uint32_t) { ++sum; }); });
  });
  CHECK(sum == 1200);
}

TEST_CASE("whoever waits for a loop helps with the loops inside it") {
  ThreadPool pool(2);
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::atomic<int> together{0};
    pool.for_each(2, [&](std::uint32_t outer) {
      if (outer == 0) return;
      // Each of the two waits for the other, so one thread alone never gets past the first.
      pool.for_each(2, [&](std::uint32_t) {
        ++together;
        while (together < 2) std::this_thread::yield();
      });
    });
    CHECK(together == 2);
  }
}
