#include "host/serve/failures.hpp"

#include "host/chain/chain.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/report/problem_json.hpp"

namespace zz::host {
namespace {

int rpc_code(ExitCode code) {
  return code == ExitCode::interrupted ? static_cast<int>(RpcCode::cancelled)
                                       : -32000 - static_cast<int>(code);
}

[[noreturn]] void throw_first(ExitCode code, const Json& problems) {
  Json data = problems.front();
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
