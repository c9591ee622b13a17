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
/// on its own loop only and then waits for the indices that others are at. So nested loops run in
/// parallel and cannot deadlock: every index that is waited for runs on some thread.
class ThreadPool {
 public:
  /// `width` threads in all, of which the caller of a loop is one.
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

  std::mutex mutex_;
  std::condition_variable work_, idle_;
  std::vector<Loop*> open_;  ///< newest last
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace zz::host
