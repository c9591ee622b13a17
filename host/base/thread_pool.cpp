#include "host/base/thread_pool.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "host/base/cancellation.hpp"
#include "host/base/wait.hpp"

namespace zz::host {

ThreadPool::ThreadPool(unsigned width, Around around) : around_(std::move(around)) {
  const SignalsBlocked blocked;
  try {
    for (unsigned i = 1; i < width; ++i) threads_.emplace_back([this] { around_([this] { help(); }); });
  } catch (const std::system_error&) {
    // The machine gives no more threads: those that there are do the work.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::work_on(Loop& loop) {
  for (std::uint32_t i = loop.next.fetch_add(1); i < loop.n; i = loop.next.fetch_add(1)) (*loop.body)(i);
}

void ThreadPool::for_each(std::uint32_t n, const std::function<void(std::uint32_t)>& body) {
  if (threads_.empty() || n < 2) {
    for (std::uint32_t i = 0; i < n; ++i) body(i);
    return;
  }
  Loop loop;
  loop.n = n;
  loop.body = &body;
  {
    const std::lock_guard lock(mutex_);
    open_.push_back(&loop);
  }
  changed_.notify_all();
  work_on(loop);
  std::unique_lock lock(mutex_);
  const auto position = open_.erase(std::find(open_.begin(), open_.end(), &loop));
  const auto later = static_cast<std::size_t>(position - open_.begin());
  while (loop.helpers > 0) {
    if (Loop* const other = unfinished(std::min(later, open_.size())))
      join(*other, lock);
    else
      wait(changed_, lock);
  }
}

ThreadPool::Loop* ThreadPool::unfinished(std::size_t from) const {
  for (std::size_t i = open_.size(); i > from; --i) {
    if (open_[i - 1]->next.load() < open_[i - 1]->n) return open_[i - 1];
  }
  return nullptr;
}

void ThreadPool::join(Loop& loop, std::unique_lock<std::mutex>& lock) {
  ++loop.helpers;
  lock.unlock();
  work_on(loop);
  lock.lock();
  if (--loop.helpers == 0) changed_.notify_all();
}

void ThreadPool::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (Loop* const loop = unfinished(0))
      join(*loop, lock);
    else if (stopping_)
      return;
    else
      wait(changed_, lock);
  }
}

}  // namespace zz::host
