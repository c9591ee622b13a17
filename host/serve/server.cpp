#include "host/serve/server.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <poll.h>
#include <utility>

#include "core/base/interruption.hpp"
#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "host/base/last_words.hpp"
#include "host/report/problems.hpp"
#include "host/serve/line_streams.hpp"
#include "host/serve/mcp.hpp"

namespace zz::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int progress_interval_ms = 100;
/// Time that jobs may take to end after a signal.
constexpr std::chrono::milliseconds grace_after_signal{1500};

// Limits of docs/limits.md.
constexpr std::size_t most_waiting_requests = 4096;

Json no_answer() { return Json(Json::value_t::discarded); }

/// A request without one, and one that names none, have null.
Json progress_token_of(const Json& params) {
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) return nullptr;
  const auto token = meta->find("progressToken");
  return token != meta->end() && (token->is_string() || token->is_number()) ? *token : Json();
}

RpcError cancelled_error() { return RpcError(RpcCode::cancelled, "interrupted", ""); }

[[noreturn]] void end_at_once_while_serving() {
  std::fputs("zz-host: interrupted, and ended: a stage did not stop when it was asked to\n", stderr);
  end_from_handler(ExitCode::interrupted, "interrupted");
}

}  // namespace

Server::Server(SessionOptions options, LogLevel level)
    : answers_(std::make_shared<core::AnswersByStore>(true, options.store)),
      session_(std::move(options)),
      level_(level),
      queue_([this](Job& job) { return reply_of(job); }, [] { WakeUp::notify(); }) {}

ExitCode Server::serve(int input) {
  WakeUp wake_up;
  LineInput lines(input);
  Clock::time_point deadline = Clock::time_point::max();
  int signals_before = 0;
  while (open_ || !queue_.idle()) {
    if (signals_before > 0 || outlet_.broken()) {
      open_ = false;
      queue_.cancel_all();
      if (queue_.idle()) break;
    }
    pollfd files[] = {{open_ ? input : -1, POLLIN, 0}, {wake_up.file(), POLLIN, 0}};
    ::poll(files, 2, queue_.idle() ? -1 : progress_interval_ms);
    wake_up.clear();
    if (const int signals = wake_up.signals(); signals > signals_before) {
      if (std::exchange(signals_before, signals) > 0) end_at_once_while_serving();
      deadline = Clock::now() + grace_after_signal;
    }
    if (Clock::now() > deadline && !queue_.idle()) end_at_once_while_serving();
    if (open_ && signals_before == 0 && files[0].revents != 0) {
      const bool more = lines.fill();
      std::string line;
      for (LineInput::Next next; open_ && (next = lines.next(line)) != LineInput::Next::none;) {
        if (next == LineInput::Next::line) {
          take_line(line);
          continue;
        }
        outlet_.send(failed_answer(
            nullptr, RpcError(RpcCode::invalid_request,
                              fmt::format("the line has more than {} bytes", LineInput::most_line_bytes),
                              "", "give large files by their paths")));
      }
      open_ = open_ && more;
    }
    report_progress();
  }
  if (signals_before > 0) return ExitCode::interrupted;
  if (!outlet_.broken()) return ExitCode::done;
  tell_error(fmt::format("the answers cannot be written: {}", outlet_.why_broken()),
             ExitCode::stage_failed);
  return ExitCode::stage_failed;
}

void Server::take_line(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  const Reply reply = [this](const Json& message) {
    if (!message.is_discarded()) outlet_.send(message);
  };
  try {
    const Json message = parse_message(line);
    if (message.is_array())
      take_batch(message);
    else
      take_message(message, reply);
  } catch (const RpcError& error) {
    reply(failed_answer(nullptr, error));
  } catch (const std::exception& error) {
    reply(failed_answer(nullptr, RpcError(RpcCode::internal, error.what(), "")));
  }
}

/// The answers to a list of requests are one list, in the order in which they are ready.
void Server::take_batch(const Json& messages) {
  if (messages.empty()) throw RpcError(RpcCode::invalid_request, "an empty list of requests", "");
  struct Batch {
    std::mutex mutex;
    std::size_t open = 0;
    Json answers = Json::array();
  };
  const auto batch = std::make_shared<Batch>();
  batch->open = messages.size();
  const Reply reply = [this, batch](const Json& message) {
    const std::lock_guard lock(batch->mutex);
    if (!message.is_discarded()) batch->answers.push_back(message);
    if (--batch->open == 0 && !batch->answers.empty()) outlet_.send(batch->answers);
  };
  for (const Json& message : messages) take_message(message, reply);
}

void Server::take_message(const Json& message, const Reply& reply) {
  const bool is_answer = message.is_object() && !message.contains("method") &&
                         (message.contains("result") || message.contains("error"));
  if (is_answer) return reply(no_answer());
  Json id;
  const auto fail = [&](const RpcError& error) {
    const bool notification = message.is_object() && message.contains("method") && !message.contains("id");
    reply(notification ? no_answer() : failed_answer(id, error));
  };
  try {
    take_request(read_request(message, id), reply);
  } catch (const RpcError& error) {
    fail(error);
  } catch (const std::exception& error) {
    fail(RpcError(RpcCode::internal, error.what(), ""));
  }
}

void Server::take_request(Request request, const Reply& reply) {
  if (const Method* method = find_method(methods(), request.method); method != nullptr)
    return enqueue(request, *method, request.params, false, reply);
  if (const Method* method = find_method(resource_methods(), request.method); method != nullptr)
    return enqueue(request, *method, request.params, false, reply);
  if (request.method == "tools/call") {
    const Json name = request.params.value("name", Json());
    const Method* method = name.is_string() ? find_method(methods(), name.get<std::string>()) : nullptr;
    if (method == nullptr) {
      const std::string given = name.is_string() ? name.get<std::string>() : "";
      throw RpcError(RpcCode::invalid_params, fmt::format("unknown tool '{}'", core::shown_text(given)),
                     "params.name", nearest_method(given));
    }
    Json arguments = request.params.value("arguments", Json::object());
    if (!arguments.is_object())
      throw RpcError(RpcCode::invalid_params, "the arguments must be an object", "params.arguments");
    return enqueue(request, *method, std::move(arguments), true, reply);
  }
  Json result = answer_at_once(request);
  reply(request.is_notification() ? no_answer() : answer(request.id, std::move(result)));
}

Json Server::answer_at_once(const Request& request) {
  const std::string& method = request.method;
  if (method == "initialize") return mcp_greeting(request.params);
  if (method == "ping") return Json::object();
  if (method == "tools/list") return mcp_tools(session_.may_load_code());
  if (method == "resources/templates/list") return {{"resourceTemplates", Json::array()}};
  if (method == "logging/setLevel") {
    level_ = mcp_log_level(request.params);
    return Json::object();
  }
  if (method == "cancel") return cancel(request.params);
  if (method == "notifications/cancelled") {
    queue_.cancel(request.params.value("requestId", Json()), true);
    return Json::object();
  }
  if (method.starts_with("notifications/")) return Json::object();
  if (method == "shutdown") {
    open_ = false;
    queue_.cancel_all();
    return Json::object();
  }
  throw RpcError(RpcCode::method_not_found, fmt::format("unknown method '{}'", core::shown_text(method)),
                 "method", nearest_method(method));
}

Json Server::cancel(const Json& params) {
  const auto id = params.find("id");
  if (id == params.end())
    throw RpcError(RpcCode::invalid_params, "'cancel' needs the parameter 'id'", "params",
                   "the id of the request that is to end");
  if (!queue_.cancel(*id, false)) {
    throw RpcError(
        RpcCode::invalid_params,
        fmt::format("no request {} is at work", core::shown_text(core::json_text(*id, core::one_line))),
        "params.id", "it may have ended");
  }
  return {{"id", *id}};
}

void Server::enqueue(const Request& request, const Method& method, Json params, bool as_tool,
                     const Reply& reply) {
  check_parameters(method, params);
  if (!request.is_notification() && queue_.has(request.id))
    throw RpcError(RpcCode::invalid_request, "a request with this id is still at work", "id");
  if (queue_.size() >= most_waiting_requests) {
    throw RpcError(RpcCode::invalid_request,
                   fmt::format("{} requests are waiting already", most_waiting_requests), "",
                   "wait for answers");
  }
  auto job = std::make_shared<Job>();
  job->id = request.id;
  job->method = &method;
  job->progress_token = progress_token_of(request.params);
  job->params = std::move(params);
  job->as_tool = as_tool;
  job->reply = reply;
  job->run.answers = answers_;
  job->run.log.show(level_, [this](LogLevel level, const std::string& text) {
    outlet_.send(notification("notifications/message", mcp_log_message(level, text)));
  });
  queue_.add(std::move(job));
}

Json Server::reply_of(Job& job) {
  Json message = answer_of(job);
  return job.id.is_discarded() || job.unanswered ? no_answer() : message;
}

Json Server::answer_of(Job& job) {
  const WorkingFor working(job.run);
  try {
    if (job.run.cancelled) throw cancelled_error();
    answers_->begin_count();
    Json result = (session_.*job.method->call)(job.params, job.run);
    job.run.log.write_repetitions();
    return answer(job.id, job.as_tool ? mcp_tool_result(std::move(result)) : std::move(result));
  } catch (const RpcError& error) {
    return job.as_tool ? answer(job.id, mcp_tool_failure(error)) : failed_answer(job.id, error);
  } catch (const core::Interrupted&) {
    return failed_answer(job.id, cancelled_error());
  } catch (const std::exception& error) {
    return failed_answer(job.id, RpcError(RpcCode::internal, error.what(), ""));
  } catch (...) {
    return failed_answer(job.id,
                         RpcError(RpcCode::internal, "a stage threw something that is no exception", ""));
  }
}

void Server::report_progress() {
  std::shared_ptr<Job> job = queue_.current();
  if (job == nullptr || job->progress_token.is_null()) return;
  if (job != shown_) shown_fraction_ = 0;
  shown_ = job;
  const double fraction = job->run.progress.fraction();
  if (!(fraction > shown_fraction_)) return;
  shown_fraction_ = fraction;
  outlet_.send(notification("notifications/progress", {{"progressToken", job->progress_token},
                                                       {"progress", fraction},
                                                       {"total", 1},
                                                       {"message", job->run.progress.text()}}));
}

}  // namespace zz::host
