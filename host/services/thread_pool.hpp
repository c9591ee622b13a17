#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace zz::host {

/// Threads that help with loops. Idle ones join the newest loop that has indices left; the caller works
/// on its own loop and then, until the indices that others are at are done, on loops that were begun after
/// it. So nested loops run in parallel and cannot deadlock: every index that is waited for runs on some
/// thread.
///
/// A thread that finds nothing to do looks again for a little while before it sleeps, as long as every
/// thread has a processor: to be woken takes longer than most pauses between two loops.
class ThreadPool {
 public:
  /// Something to be done once, by an idle thread or by whoever needs it first. Must not begin loops or
  /// wait for anything, so that whoever waits for it does not wait for long.
  struct Task {
    std::function<void()> work;
    enum class State { waiting, running, done } state = State::waiting;  ///< guarded by the pool
  };

  /// `width` threads in all, of which the caller of a loop is one.
  explicit ThreadPool(unsigned width);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned width() const { return static_cast<unsigned>(threads_.size()) + 1; }
  void for_each(std::uint32_t n, const std::function<void(std::uint32_t)>& body);

  /// Offers a task to idle threads, which do loops first. It stays where it is until `finish`. [any]
  void offer(Task& task);
  /// Does the task unless somebody has begun it, and returns when it is done; meanwhile it does others.
  /// Once for each task. [any]
  void finish(Task& task);

 private:
  struct Loop {
    std::uint32_t n = 0;
    const std::function<void(std::uint32_t)>* body = nullptr;
    std::atomic<std::uint32_t> next{0};
    std::uint32_t helpers = 0;  ///< guarded by mutex_
  };

  void help();
  /// Takes the oldest task that nobody has begun; nullptr when there is none.
  Task* next_task();
  /// Unlocks, does the task and locks again.
  void run(Task& task, std::unique_lock<std::mutex>& lock);
  /// Returns when something has changed, or too early; the lock is held before and after.
  void wait(std::unique_lock<std::mutex>& lock);
  /// Says that something has changed; with the lock held.
  void changed();
  static void work_on(Loop& loop);
  /// The newest loop with indices left, of those from a place of open_ on; nullptr when there is none.
  Loop* unfinished(std::size_t from) const;
  /// Works on it as a helper; the lock is held before and after.
  void join(Loop& loop, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<std::uint32_t> changes_{0};  ///< loops and tasks that came or ended
  bool patient_ = false;                   ///< threads look again before they sleep
  std::vector<Loop*> open_;                ///< newest last
  std::deque<Task*> tasks_;                ///< that nobody has begun, oldest first
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace zz::host
