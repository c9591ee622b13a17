#include "host/serve/mcp.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "core/base/json_text.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "host/boundary/host_table.hpp"
#include "host/serve/method_table.hpp"

namespace zz::host {
namespace {

/// Newest first.
constexpr const char* versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

/// The words of MCP for LogLevel, from trace to error; `critical` and beyond are never written.
const std::vector<std::string> level_words{"debug", "debug", "info", "warning", "error"};
const std::vector<std::string> silent_words{"critical", "alert", "emergency"};

constexpr const char* instructions =
    "zz finds out how a neural network should run on an accelerator, and what it then costs. Call 'load' "
    "with "
    "the path or the text of a pipeline, 'run' it, and look at 'results'. 'change' sets one field, as "
    "accelerator.memories[sram].size, and 'run' then shows what it does. 'stages' and the resources say "
    "what "
    "pipelines are made of. Energy is in pJ, latency in cycles.";

}  // namespace

Json mcp_greeting(const Json& params) {
  std::string version = versions[0];
  const auto wanted = params.find("protocolVersion");
  for (const char* known : versions) {
    if (wanted != params.end() && *wanted == known) version = known;
  }
  return {{"protocolVersion", version},
          {"capabilities",
           {{"tools", Json::object()}, {"resources", Json::object()}, {"logging", Json::object()}}},
          {"serverInfo", {{"name", "zz-host"}, {"title", "zz"}, {"version", host_table().version}}},
          {"instructions", instructions}};
}

Json mcp_tools(bool foreign_code) {
  Json tools = Json::array();
  for (const Method& method : methods()) {
    // Nobody can promise what code of others does.
    const bool runs_code = foreign_code && method.loads_code;
    const bool reads_only = method.changes_nothing && !runs_code;
    tools.push_back({{"name", method.name},
                     {"description", method.doc},
                     {"inputSchema", schema_of(method)},
                     {"annotations",
                      {{"readOnlyHint", reads_only},
                       {"destructiveHint", !reads_only},
                       {"idempotentHint", reads_only || (method.idempotent && !runs_code)},
                       {"openWorldHint", runs_code}}}});
  }
  return {{"tools", std::move(tools)}};
}

Json mcp_tool_result(Json result) {
  Json text{{"type", "text"}, {"text", core::json_text(result, core::one_line)}};
  return {{"content", Json::array({std::move(text)})},
          {"structuredContent", std::move(result)},
          {"isError", false}};
}

Json mcp_tool_failure(const RpcError& error) {
  Json result = mcp_tool_result(error.json());
  result["isError"] = true;
  return result;
}

LogLevel mcp_log_level(const Json& params) {
  const auto given = params.find("level");
  const std::string word = given != params.end() && given->is_string() ? given->get<std::string>() : "";
  if (word == "notice") return LogLevel::warning;
  const auto found = std::find(level_words.begin(), level_words.end(), word);
  if (found != level_words.end()) return static_cast<LogLevel>(found - level_words.begin());
  if (std::find(silent_words.begin(), silent_words.end(), word) != silent_words.end()) return LogLevel::off;
  throw RpcError(RpcCode::invalid_params, fmt::format("unknown level '{}'", core::shown_text(word)),
                 "params.level",
                 core::suggestion(word, std::vector<std::string>{"debug", "info", "warning", "error"}));
}

Json mcp_log_message(LogLevel level, const std::string& text) {
  return {{"level", level_words[static_cast<std::size_t>(level)]}, {"logger", "zz"}, {"data", text}};
}

}  // namespace zz::host
