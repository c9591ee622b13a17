#include "host/services/parallel.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "host/chain/activation.hpp"
#include "host/chain/place.hpp"
#include "host/services/crash_handler.hpp"
#include "host/services/thread_pool.hpp"
#include "host/values/handle.hpp"

namespace zz::host {
namespace {

unsigned wanted_threads = 1;

/// Started with the first loop or task, because many runs have none.
ThreadPool& pool() {
  static ThreadPool threads(wanted_threads);
  return threads;
}

/// A stage may only work in parallel when every stage below it can be opened so.
bool must_be_serial() {
  const Activation* caller = current_activation();
  return caller != nullptr && caller->place != nullptr && !caller->place->parallel_below;
}

std::uint32_t width() noexcept { return must_be_serial() ? 1 : wanted_threads; }

/// The failure of the lowest index, which does not depend on the order in which threads come by.
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
  Activation* caller = current_activation();
  FirstFailure first;
  const auto one = [&](std::uint32_t i) {
    thread_local AlternateStack stack;
    Activation activation{caller != nullptr ? caller->place : nullptr, nullptr};
    {
      const Entered entered(activation);
      body(user, i);
    }
    first.offer(i, activation.stored);
    count_handles_of_thread();
  };
  if (wanted_threads < 2 || must_be_serial()) {
    for (std::uint32_t i = 0; i < n; ++i) one(i);
  } else {
    pool().for_each(n, one);
  }
  if (caller != nullptr && first.failure != nullptr) caller->stored = first.failure;
}

struct BegunWork {
  zz_place* place;
  void (*work)(void*);
  void* user;
  ThreadPool::Task task;
};

}  // namespace

void* begin_work(void (*work)(void*), void* user) noexcept {
  const Activation* caller = current_activation();
  auto* begun = new BegunWork{caller != nullptr ? caller->place : nullptr, work, user, {}};
  begun->task.work = [begun] {
    thread_local AlternateStack stack;
    Activation activation{begun->place, nullptr};
    {
      const Entered entered(activation);
      begun->work(begun->user);
    }
    count_handles_of_thread();
  };
  pool().offer(begun->task);
  return begun;
}

void finish_work(void* begun) noexcept {
  const std::unique_ptr<BegunWork> work(static_cast<BegunWork*>(begun));
  pool().finish(work->task);
}

void set_thread_count(unsigned threads) {
  wanted_threads = threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

const zz_parallel parallel_table{sizeof(zz_parallel), width, for_each};

}  // namespace zz::host
