#include "host/services/thread_pool.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>

namespace zz::host {
namespace {

/// How long a thread looks for something to do before it sleeps: a few times what it takes to wake one.
constexpr std::chrono::microseconds patience{50};

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

ThreadPool::ThreadPool(unsigned width) : patient_(width <= std::thread::hardware_concurrency()) {
  const WithoutSignals blocked;
  for (unsigned i = 1; i < width; ++i) threads_.emplace_back([this] { help(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed();
  }
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
    changed();
  }
  work_on(loop);
  std::unique_lock lock(mutex_);
  const auto place = open_.erase(std::find(open_.begin(), open_.end(), &loop));
  const auto later = static_cast<std::size_t>(place - open_.begin());
  while (loop.helpers > 0) {
    if (Loop* const other = unfinished(std::min(later, open_.size())))
      join(*other, lock);
    else
      wait(lock);
  }
}

void ThreadPool::offer(Task& task) {
  if (threads_.empty()) return;
  const std::lock_guard lock(mutex_);
  tasks_.push_back(&task);
  changed();
}

void ThreadPool::finish(Task& task) {
  std::unique_lock lock(mutex_);
  if (task.state == Task::State::waiting) {
    if (const auto place = std::find(tasks_.begin(), tasks_.end(), &task); place != tasks_.end())
      tasks_.erase(place);
    run(task, lock);
  }
  while (task.state != Task::State::done) {
    if (Task* const other = next_task())
      run(*other, lock);
    else
      wait(lock);
  }
}

ThreadPool::Task* ThreadPool::next_task() {
  if (tasks_.empty()) return nullptr;
  Task* const task = tasks_.front();
  tasks_.pop_front();
  return task;
}

void ThreadPool::run(Task& task, std::unique_lock<std::mutex>& lock) {
  task.state = Task::State::running;
  lock.unlock();
  task.work();
  lock.lock();
  task.state = Task::State::done;
  changed();
}

void ThreadPool::changed() {
  changes_.fetch_add(1, std::memory_order_relaxed);
  wake_.notify_all();
}

void ThreadPool::wait(std::unique_lock<std::mutex>& lock) {
  const std::uint32_t seen = changes_.load(std::memory_order_relaxed);
  if (patient_) {
    lock.unlock();
    const auto end = std::chrono::steady_clock::now() + patience;
    while (changes_.load(std::memory_order_relaxed) == seen && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    lock.lock();
  }
  wake_.wait(lock, [&] { return changes_.load(std::memory_order_relaxed) != seen; });
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
  if (--loop.helpers == 0) changed();
}

void ThreadPool::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (Loop* const loop = unfinished(0))
      join(*loop, lock);
    else if (Task* const task = next_task())
      run(*task, lock);
    else if (stopping_)
      return;
    else
      wait(lock);
  }
}

}  // namespace zz::host
