#include "host/services/thread_pool.hpp"

#include <array>
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

TEST_CASE("a task is done once, by whoever comes first, before finish returns") {
  for (const unsigned width : {1U, 2U, 4U}) {
    ThreadPool pool(width);
    for (int repetition = 0; repetition < 200; ++repetition) {
      std::array<int, 3> done{};
      std::array<ThreadPool::Task, 3> tasks;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        tasks[i].work = [&done, i] { ++done[i]; };
        pool.offer(tasks[i]);
      }
      std::atomic<int> sum{0};
      pool.for_each(8, [&](std::uint32_t) { ++sum; });
      CHECK(sum == 8);
      for (const std::size_t i : {1, 0, 2}) {
        pool.finish(tasks[i]);
        CHECK(done[i] == 1);
      }
    }
  }
}

TEST_CASE("an idle thread does a task while its owner goes on") {
  ThreadPool pool(2);
  std::atomic<bool> done{false};
  ThreadPool::Task task;
  task.work = [&] { done = true; };
  pool.offer(task);
  while (!done) std::this_thread::yield();
  pool.finish(task);
}

TEST_CASE("whoever waits for a task does others meanwhile") {
  ThreadPool pool(2);
  std::atomic<bool> begun{false}, other_done{false};
  ThreadPool::Task task, other;
  task.work = [&] {
    begun = true;
    while (!other_done) std::this_thread::yield();
  };
  other.work = [&] { other_done = true; };
  pool.offer(task);
  while (!begun) std::this_thread::yield();
  pool.offer(other);
  pool.finish(task);
  pool.finish(other);
}
