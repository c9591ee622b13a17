#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/diagnostics.hpp"
#include "host/base/exit_code.hpp"
#include "host/chain/failure.hpp"

namespace zz::host {

/// Reports problems: on stderr at once, and at the end in JSON documents. Equal problems are reported once.
/// [main]

/// A problem in a file of the user. The level of the log may hide warnings.
void tell(const core::Diagnostic& problem);
void tell(const core::Diagnostics& problems);
void tell(const core::InputError& problems);

/// A problem of the program: "zz-host: error: ..."
void tell_error(const std::string& message, ExitCode code = ExitCode::stage_failed,
                const std::string& hint = "");

/// A failed or interrupted chain: the failure of every stage, and the problems in input files behind it.
void tell(const Failure& failure);

/// All errors so far, for a JSON document: as problem_json() writes them.
nlohmann::ordered_json errors_json();
/// True after the first call of errors_json().
bool errors_are_printed();

/// The document of `--format=json` for a verb that failed: {"errors", "exit_status"}.
std::string failed_json(int exit_status);

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
