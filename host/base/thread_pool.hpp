#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace zz::host {

/// Threads for parallel loops. An idle thread joins the newest loop that has indices left. The caller of a
/// loop works on it, and then, until the other threads have finished it, on newer loops. Nested loops thus
/// run in parallel and cannot deadlock: every index that a caller waits for runs on some thread.
class ThreadPool {
 public:
  /// Work of a thread of the pool around its whole life: calls the function once.
  using Around = std::function<void(const std::function<void()>&)>;

  /// `width` threads, with the caller of a loop.
  explicit ThreadPool(
      unsigned width, Around around = [](const auto& help) { help(); });
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned width() const { return static_cast<unsigned>(threads_.size()) + 1; }
  /// Calls body(i) for every i < n and returns when all calls have returned. `body` must not throw. [any]
  void for_each(std::uint32_t n, const std::function<void(std::uint32_t)>& body);

 private:
  struct Loop {
    std::uint32_t n = 0;
    const std::function<void(std::uint32_t)>* body = nullptr;
    std::atomic<std::uint32_t> next{0};
    std::uint32_t helpers = 0;  ///< guarded by mutex_
  };

  void help();
  static void work_on(Loop& loop);
  /// The newest loop with indices left, from position `from` in open_ on; nullptr when there is none.
  Loop* unfinished(std::size_t from) const;
  /// Works on the loop as a helper. The lock is held before and after.
  void join(Loop& loop, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;  ///< a loop was begun, or its last helper has left it
  std::vector<Loop*> open_;          ///< newest last
  bool stopping_ = false;
  Around around_;
  std::vector<std::thread> threads_;
};

}  // namespace zz::host
