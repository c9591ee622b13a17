#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/diagnostics.hpp"
#include "host/chain/failure.hpp"
#include "host/command_line/exit_code.hpp"

namespace zz::host {

/// A problem for programs: {"message", "hint", "code", "place", "file", "line", "column", "stage"}, each
/// without the unknown ones. "place" is file, line and column as messages have them.
nlohmann::ordered_json problem_json(const core::Diagnostic& problem, const std::string& stage,
                                    ExitCode code);

/// The problems behind a failed or interrupted chain, as a list of such: those in input files each by
/// itself.
nlohmann::ordered_json problems_json(const Failure& failure);

/// The word for an exit code: "invalid", "plugin", "no_result", "cancelled", "failed"; "done" for none.
const char* code_word(ExitCode code);

}  // namespace zz::host
