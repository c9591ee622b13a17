#pragma once
#include <functional>
#include <string>

#include "host/library/open_pipeline.hpp"
#include "host/serve/rpc_message.hpp"

/// Pipelines that fail, as errors of the protocol. Their data is the first problem as `--format=json` has
/// it (problem_json()), with all of them under "problems".
namespace zz::host {

/// Throws the error for a pipeline that may not run.
[[noreturn]] void throw_problems(const OpenPipeline& open);

[[noreturn]] void throw_failed(ExitCode code, const std::string& message);

/// Calls `work`, and throws the error for a chain that failed in it.
void in_chain(const std::function<void()>& work);

}  // namespace zz::host
