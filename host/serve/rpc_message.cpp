#include "host/serve/rpc_message.hpp"

#include <fmt/format.h>

#include "core/base/json_text.hpp"
#include "host/chain/chain.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/problems.hpp"

namespace zz::host {
namespace {

/// The parser's message is longer when it repeats much of the line.
constexpr std::size_t longest_reason = 200;

// Limits of docs/limits.md.
constexpr int deepest_message = 100;

Json data_of(RpcCode code, const std::string& place, const std::string& hint) {
  const char* word = code == RpcCode::cancelled  ? "cancelled"
                     : code == RpcCode::internal ? "failed"
                                                 : "invalid";
  Json data{{"code", word}};
  if (!place.empty()) data["place"] = place;
  if (!hint.empty()) data["hint"] = hint;
  return data;
}

}  // namespace

RpcError::RpcError(RpcCode code, const std::string& message, const std::string& place,
                   const std::string& hint)
    : RpcError(static_cast<int>(code), message, data_of(code, place, hint)) {}

Json RpcError::json() const { return {{"code", code_}, {"message", what()}, {"data", data_}}; }

Json parse_message(const std::string& line) {
  const auto not_too_deep = [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest_message) {
      throw RpcError(
          RpcCode::invalid_request,
          fmt::format("lists and maps are more than {} levels within each other", deepest_message), "");
    }
    return true;
  };
  try {
    return Json::parse(line, not_too_deep);
  } catch (const Json::parse_error& error) {
    std::string_view told = error.what();  // "[...] parse error at line 1, column 2: syntax error ..."
    told.remove_prefix(told.find(": ") + 2);
    if (told.size() > longest_reason) told = told.substr(0, told.find("; last read: "));
    throw RpcError(RpcCode::parse_error, fmt::format("the line is not JSON: {}", told),
                   fmt::format("column {}", error.byte), "send one JSON-RPC request a line");
  } catch (const Json::out_of_range&) {
    throw RpcError(RpcCode::parse_error, "the line has a number that is too large for 64 bits", "",
                   "numbers end at 1.8e+308");
  }
}

Request read_request(const Json& message, Json& id) {
  if (!message.is_object()) {
    throw RpcError(
        RpcCode::invalid_request, "a request must be a JSON object", "",
        R"(send {"jsonrpc": "2.0", "id": 1, "method": "load", "params": {"path": "pipeline.yaml"}})");
  }
  Request request;
  request.id = Json(Json::value_t::discarded);
  if (const auto given = message.find("id"); given != message.end()) {
    if (!given->is_number() && !given->is_string() && !given->is_null())
      throw RpcError(RpcCode::invalid_request, "an id must be a number or a text", "id");
    request.id = id = *given;
  }
  const auto text = [&](const char* key) {
    const auto found = message.find(key);
    return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (text("jsonrpc") != "2.0")
    throw RpcError(RpcCode::invalid_request, "'jsonrpc' must be \"2.0\"", "jsonrpc");
  request.method = text("method");
  if (request.method.empty())
    throw RpcError(RpcCode::invalid_request, "'method' must be the name of a method", "method");
  request.params = Json::object();
  if (const auto params = message.find("params"); params != message.end() && !params->is_null()) {
    if (!params->is_object())
      throw RpcError(RpcCode::invalid_params, "parameters are given by name, as an object", "params");
    request.params = *params;
  }
  return request;
}

Json answer(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json failed_answer(const Json& id, const RpcError& error) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", error.json()}};
}

Json notification(const std::string& method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::string line_of(const Json& message) {
  try {
    return core::json_text(message, core::one_line) + "\n";
  } catch (const std::exception& error) {
    const bool answers = message.is_object() && message.contains("id");
    const RpcError wrong(RpcCode::internal, fmt::format("the answer cannot be written: {}", error.what()),
                         "");
    return core::json_text(failed_answer(answers ? message["id"] : Json(), wrong), core::one_line) + "\n";
  }
}

namespace {

int rpc_code(ExitCode code) {
  return code == ExitCode::interrupted ? static_cast<int>(RpcCode::cancelled)
                                       : -32000 - static_cast<int>(code);
}

[[noreturn]] void throw_first(ExitCode code, const Json& problems) {
  // A list that is cut short may have lost what it was about; an answer is due all the same.
  Json data = problems.empty()
                  ? problem_json({core::Severity::error, {}, "the request cannot be done", ""}, "", code)
                  : problems.front();
  const std::string message = data["message"];
  data.erase("message");
  if (problems.size() > 1) data["problems"] = problems;
  throw RpcError(rpc_code(code), message, std::move(data));
}

}  // namespace

void throw_problems(const OpenPipeline& open) {
  Json problems = Json::array();
  for (const core::Diagnostic& problem : open.diagnostics.all()) {
    if (problem.severity == core::Severity::error) problems.push_back(problem_json(problem, "", open.code));
  }
  throw_first(open.code, problems);
}

void throw_failed(ExitCode code, const std::string& message) {
  throw_first(code, Json::array({problem_json({core::Severity::error, {}, message, ""}, "", code)}));
}

void in_chain(const std::function<void()>& work) {
  try {
    work();
  } catch (const ChainFailure& failure) {
    throw_first(exit_code_of(*failure.failure()), problems_json(*failure.failure()));
  }
}

}  // namespace zz::host
