#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "host/library/open_pipeline.hpp"

/// Messages of JSON-RPC 2.0 (jsonrpc.org/specification), one a line.
namespace zz::host {

using Json = nlohmann::ordered_json;

/// The codes of JSON-RPC, and of the Language Server Protocol for what was cancelled. A pipeline that fails
/// has -32000 minus its exit code.
enum class RpcCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal = -32603,
  cancelled = -32800,
};

/// A request that fails: becomes the error of its answer.
class RpcError : public std::runtime_error {
 public:
  /// `data` is {"code", "place", "stage", "hint", ...}, as far as they are known.
  RpcError(int code, const std::string& message, Json data)
      : std::runtime_error(message), code_(code), data_(std::move(data)) {}
  /// A mistake in the request: `place` is the part of it that is wrong.
  RpcError(RpcCode code, const std::string& message, const std::string& place,
           const std::string& hint = "");

  /// {"code", "message", "data"}
  Json json() const;

 private:
  int code_;
  Json data_;
};

struct Request {
  Json id;  ///< a number, a text, or null; discarded for a notification, which gets no answer
  std::string method;
  Json params;  ///< an object

  bool is_notification() const { return id.is_discarded(); }
};

/// The value of a line: a request, or a list of them. Throws RpcError.
Json parse_message(const std::string& line);

/// One request. Throws RpcError; `id` then holds the id as far as it could be read, else null.
Request read_request(const Json& message, Json& id);

Json answer(const Json& id, Json result);
Json failed_answer(const Json& id, const RpcError& error);
Json notification(const std::string& method, Json params);

/// The message as a line. What cannot be written becomes an error with the same id. Does not throw as long
/// as there is memory for that.
std::string line_of(const Json& message);

}  // namespace zz::host

/// Pipelines that fail, as errors of the protocol. Their data is the first problem as `--format=json` has
/// it (problem_json()), with all of them under "problems".
namespace zz::host {

/// Throws the error for a pipeline that may not run.
[[noreturn]] void throw_problems(const OpenPipeline& open);

[[noreturn]] void throw_failed(ExitCode code, const std::string& message);

/// Calls `work`, and throws the error for a chain that failed in it.
void in_chain(const std::function<void()>& work);

}  // namespace zz::host
