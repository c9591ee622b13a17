#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "plugins/internal/internal_tier.hpp"

namespace zz::plugins {

/// Work that a thread of the host that has nothing else to do may begin while this one goes on. It begins
/// no loops, waits for nothing and throws nothing.
class WorkAhead {
 public:
  explicit WorkAhead(std::function<void()> work)
      : work_(std::move(work)), begun_(internal_tier().begin(do_work, this)) {}
  /// Nobody begins it any more; when somebody has, returns when it is done.
  ~WorkAhead() {
    wanted_ = false;
    finish();
  }
  WorkAhead(const WorkAhead&) = delete;
  WorkAhead& operator=(const WorkAhead&) = delete;

  /// Does it unless somebody has begun, and returns when it is done. [serial]
  void finish() {
    if (begun_ != nullptr) internal_tier().finish(std::exchange(begun_, nullptr));
  }

 private:
  static void do_work(void* self) {
    auto& ahead = *static_cast<WorkAhead*>(self);
    if (ahead.wanted_) ahead.work_();
  }

  std::function<void()> work_;
  std::atomic<bool> wanted_ = true;
  void* begun_;
};

/// A file that a stage reads, begun when the stage is made so that several stages can read at the same
/// time. What is wrong with the file is said when it is needed.
template <class T>
class ReadAhead {
 public:
  /// `read` throws what is wrong; it is called again for each further `get`, and may be called
  /// concurrently.
  void begin(std::function<T()> read) {
    read_ = std::move(read);
    work_ = std::make_unique<WorkAhead>([this] {
      try {
        first_.emplace(read_());
      } catch (...) {
        failure_ = std::current_exception();
      }
    });
  }

  /// [any]
  T get() {
    std::unique_ptr<WorkAhead> work;
    {
      const std::lock_guard lock(mutex_);
      work = std::move(work_);
    }
    if (work == nullptr) return read_();
    work->finish();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return *std::exchange(first_, std::nullopt);
  }

 private:
  std::function<T()> read_;
  std::mutex mutex_;
  std::optional<T> first_;
  std::exception_ptr failure_;
  std::unique_ptr<WorkAhead> work_;  // goes away first: it writes to the others
};

}  // namespace zz::plugins
