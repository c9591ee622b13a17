#include "host/services/parallel.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

#include "host/chain/place.hpp"
#include "host/chain/stage_call.hpp"
#include "host/services/crash_handler.hpp"
#include "host/services/thread_pool.hpp"

namespace zz::host {
namespace {

unsigned wanted_threads = 1;

/// Started with the first loop, because many runs have none.
ThreadPool& pool() {
  static ThreadPool threads(wanted_threads);
  return threads;
}

/// A stage may only work in parallel when every stage below can be opened concurrently.
bool must_be_serial() {
  const StageCall* caller = current_call();
  return caller != nullptr && caller->place != nullptr && !caller->place->parallel_below;
}

std::uint32_t width() noexcept { return must_be_serial() ? 1 : wanted_threads; }

/// The failure of the lowest index, which does not depend on the order of the threads.
struct FirstFailure {
  std::mutex mutex;
  std::uint32_t index = 0;
  FailurePointer failure;

  void offer(std::uint32_t i, const FailurePointer& candidate) {
    if (candidate == nullptr) return;
    const std::lock_guard lock(mutex);
    if (failure != nullptr && index < i) return;
    failure = candidate;
    index = i;
  }
};

void for_each(std::uint32_t n, void (*body)(void*, std::uint32_t), void* user) noexcept {
  if (body == nullptr) return;
  StageCall* caller = current_call();
  FirstFailure first;
  const auto one = [&](std::uint32_t i) {
    thread_local AlternateStack stack;
    StageCall call{caller != nullptr ? caller->place : nullptr, nullptr};
    {
      const Entered entered(call);
      body(user, i);
    }
    first.offer(i, call.stored);
  };
  if (wanted_threads < 2 || must_be_serial()) {
    for (std::uint32_t i = 0; i < n; ++i) one(i);
  } else {
    pool().for_each(n, one);
  }
  if (caller != nullptr && first.failure != nullptr) caller->stored = first.failure;
}

}  // namespace

void set_thread_count(unsigned threads) {
  wanted_threads = threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

const zz_parallel parallel_table{sizeof(zz_parallel), width, for_each};

}  // namespace zz::host
