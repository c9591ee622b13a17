#include "host/serve/job_queue.hpp"

#include <algorithm>

#include "host/base/crash_handler.hpp"
#include "host/base/wait.hpp"

namespace zz::host {

JobQueue::JobQueue(std::function<Json(Job&)> work, std::function<void()> done)
    : work_(std::move(work)), done_(std::move(done)), thread_([this] { loop(); }) {}

JobQueue::~JobQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobQueue::add(std::shared_ptr<Job> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

bool JobQueue::cancel(const Json& id, bool unanswered) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job->id == id; });
  if (found == jobs_.end()) return false;
  (*found)->unanswered = unanswered;
  (*found)->run.cancelled = true;
  return true;
}

void JobQueue::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) job->run.cancelled = true;
}

bool JobQueue::idle() const { return size() == 0; }

std::size_t JobQueue::size() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

bool JobQueue::has(const Json& id) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job->id == id; });
}

std::shared_ptr<Job> JobQueue::current() const {
  const std::lock_guard lock(mutex_);
  return jobs_.empty() ? nullptr : jobs_.front();
}

void JobQueue::loop() {
  const AlternateStack stack;
  for (;;) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      while (!stopping_ && jobs_.empty()) wait(changed_, lock);
      if (jobs_.empty()) return;
      job = jobs_.front();
    }
    Json reply = work_(*job);
    {
      const std::lock_guard lock(mutex_);
      jobs_.pop_front();
    }
    job->reply(std::move(reply));
    done_();
  }
}

}  // namespace zz::host
