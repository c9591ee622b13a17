#pragma once
#include "host/base/log.hpp"
#include "host/serve/rpc_message.hpp"

/// The Model Context Protocol (modelcontextprotocol.io/specification) over the methods of the session.
namespace zz::host {

/// The answer to "initialize": the version that the client wants if it is known here, else the newest.
Json mcp_greeting(const Json& params);

/// The answer to "tools/list": every method of the session is a tool. With `foreign_code` pipelines may
/// bring code of their own, so that the hints promise less.
Json mcp_tools(bool foreign_code);

/// A result as that of a tool: as text, and as it is.
Json mcp_tool_result(Json result);
/// A failed pipeline is something for the assistant to read and mend, so it is a result, too.
Json mcp_tool_failure(const RpcError& error);

/// The level of "logging/setLevel". Throws RpcError.
LogLevel mcp_log_level(const Json& params);
/// A message as the parameters of "notifications/message".
Json mcp_log_message(LogLevel level, const std::string& text);

}  // namespace zz::host
