#include "host/services/thread_pool.hpp"

#include <algorithm>
#include <csignal>

namespace zz::host {
namespace {

/// Interrupts belong to the thread that runs the pipeline.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigemptyset(&all);
    for (const int signal : {SIGINT, SIGTERM, SIGALRM}) sigaddset(&all, signal);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

ThreadPool::ThreadPool(unsigned width) {
  const WithoutSignals blocked;
  for (unsigned i = 1; i < width; ++i) threads_.emplace_back([this] { help(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
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
  work_.notify_all();
  work_on(loop);
  std::unique_lock lock(mutex_);
  open_.erase(std::find(open_.begin(), open_.end(), &loop));
  idle_.wait(lock, [&] { return loop.helpers == 0; });
}

void ThreadPool::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto unfinished = [](const Loop* loop) { return loop->next.load() < loop->n; };
    const auto found = std::find_if(open_.rbegin(), open_.rend(), unfinished);
    if (found == open_.rend()) {
      if (stopping_) return;
      work_.wait(lock);
      continue;
    }
    Loop& loop = **found;
    ++loop.helpers;
    lock.unlock();
    work_on(loop);
    lock.lock();
    if (--loop.helpers == 0) idle_.notify_all();
  }
}

}  // namespace zz::host
