#pragma once
#include <functional>
#include <memory>
#include <string>

#include "host/base/exit_code.hpp"
#include "host/serve/job_queue.hpp"
#include "host/serve/line_streams.hpp"
#include "host/serve/session.hpp"

namespace zz::host {

/// Serves one client by JSON-RPC 2.0, also as a server of MCP: a request a line comes in, answers and
/// notifications go to standard output. docs/serve.md is its manual.
///
/// One thread reads, and answers what needs no session, as cancel and ping. Another does all else, in the
/// order of the requests.
class Server {
 public:
  Server(SessionOptions options, LogLevel level);

  /// Serves until the input ends and all is answered, a shutdown is asked for, or a signal comes.
  ExitCode serve(int input);

 private:
  using Reply = std::function<void(Json)>;

  void take_line(const std::string& line);
  void take_message(const Json& message, const Reply& reply);
  void take_batch(const Json& messages);
  void take_request(Request request, const Reply& reply);
  /// The answer to what needs no session; a discarded value for anything else.
  Json answer_at_once(const Request& request);
  Json cancel(const Json& params);
  void enqueue(const Request& request, const Method& method, Json params, bool as_tool, const Reply& reply);
  Json reply_of(Job& job);
  Json answer_of(Job& job);
  void report_progress();

  std::shared_ptr<core::AnswersByStore> answers_;  ///< of all runs
  Session session_;
  std::atomic<LogLevel> level_;
  Outlet outlet_;
  bool open_ = true;            ///< more requests are taken
  std::shared_ptr<Job> shown_;  ///< whose progress was told last
  double shown_fraction_ = 0;
  JobQueue queue_;  ///< last: its thread uses the others
};

}  // namespace zz::host
