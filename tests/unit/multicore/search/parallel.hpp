#pragma once
#include <atomic>
#include <thread>
#include <vector>

#include "core/multicore/search/schedule_search.hpp"

namespace zz::test {

/// Runs everything on so many threads; 1: in the caller's.
inline core::ParallelFor on_threads(int threads) {
  return [threads](std::size_t count, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    const auto run = [&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(run);
    run();
    for (std::thread& other : others) other.join();
  };
}

}  // namespace zz::test
