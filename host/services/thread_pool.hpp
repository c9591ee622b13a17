#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace zz::host {

/// Threads that help with loops. Idle ones join the newest loop that has indices left; the caller works
/// on its own loop and then, until the indices that others are at are done, on loops that were begun after
/// it. So nested loops run in parallel and cannot deadlock: every index that is waited for runs on some
/// thread.
class ThreadPool {
 public:
  /// `width` threads in all, and the caller of a loop is one of them.
  explicit ThreadPool(unsigned width);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned width() const { return static_cast<unsigned>(threads_.size()) + 1; }
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
  /// The newest loop with indices left, of those from a position in open_ on; nullptr when there is none.
  Loop* unfinished(std::size_t from) const;
  /// Works on it as a helper; the lock is held before and after.
  void join(Loop& loop, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;  ///< a loop was begun, or its last helper has left it
  std::vector<Loop*> open_;          ///< newest last
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace zz::host
