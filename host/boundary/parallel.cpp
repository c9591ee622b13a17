#include "host/boundary/parallel.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/interruption.hpp"
#include "host/base/crash_handler.hpp"
#include "host/base/run.hpp"
#include "host/base/thread_pool.hpp"
#include "host/chain/place.hpp"
#include "host/chain/stage_call.hpp"

namespace zz::host {
namespace {

ThreadPool& pool_of(Run& run) {
  static std::mutex starting;
  const std::lock_guard lock(starting);
  if (run.pool == nullptr)
    run.pool = std::make_unique<ThreadPool>(run.threads, [&run](const std::function<void()>& help) {
      const WorkingFor working(run);
      help();
    });
  return *run.pool;
}

/// A stage may only work in parallel when every stage below can be opened concurrently.
bool must_be_serial() {
  const StageCall* caller = current_call();
  return caller != nullptr && caller->place != nullptr && !caller->place->parallel_below;
}

std::uint32_t width() noexcept { return must_be_serial() ? 1 : current_run().threads; }

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
  Run& run = current_run();
  FirstFailure first;
  const core::Interruption of_caller = core::interruption;
  const auto one = [&](std::uint32_t i) {
    thread_local AlternateStack stack;
    StageCall call{caller != nullptr ? caller->place : nullptr, nullptr};
    const core::InterruptedBy interrupted(of_caller);
    {
      const Entered entered(call);
      body(user, i);
    }
    first.offer(i, call.stored);
  };
  if (run.threads < 2 || must_be_serial()) {
    for (std::uint32_t i = 0; i < n; ++i) one(i);
  } else {
    pool_of(run).for_each(n, one);
  }
  if (caller != nullptr && first.failure != nullptr) caller->stored = first.failure;
}

}  // namespace

void for_each_on_threads(Run& run, std::uint32_t n, const std::function<void(std::uint32_t)>& body) {
  if (run.threads < 2) {
    for (std::uint32_t i = 0; i < n; ++i) body(i);
  } else {
    pool_of(run).for_each(n, body);
  }
}

unsigned threads_for(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

const zz_parallel parallel_table{sizeof(zz_parallel), width, for_each};

}  // namespace zz::host
