#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "host/serve/method_table.hpp"

namespace zz::host {

/// A request for a method that works on the session.
struct Job {
  Json id;
  const Method* method = nullptr;
  Json params;
  Json progress_token;                  ///< of its notifications of progress; null: none are wanted
  bool as_tool = false;                 ///< it came as a call of a tool of MCP
  std::atomic<bool> unanswered{false};  ///< the client wants no answer any more
  Run run;
  std::function<void(Json)> reply;  ///< called once; with a discarded value when there is no answer
};

/// Does jobs one after the other, on a thread of its own. [any]
class JobQueue {
 public:
  /// `work` does a job and gives its reply, which is sent when the id is free again; `done` is called after
  /// each.
  JobQueue(std::function<Json(Job&)> work, std::function<void()> done);
  ~JobQueue();  ///< waits for the jobs that are left, and their replies

  void add(std::shared_ptr<Job> job);
  /// Asks the job with that id to end. False when there is none.
  bool cancel(const Json& id, bool unanswered);
  void cancel_all();

  bool idle() const;
  std::size_t size() const;  ///< jobs that are not done
  bool has(const Json& id) const;
  /// The job that is at work, or nullptr.
  std::shared_ptr<Job> current() const;

 private:
  void loop();

  std::function<Json(Job&)> work_;
  std::function<void()> done_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> jobs_;  ///< the first one is at work
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace zz::host
