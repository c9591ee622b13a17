#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/diagnostics/diagnostics.hpp"
#include "host/chain/failure.hpp"

namespace zz::host {

/// What is wrong is told on stderr at once, and kept for the JSON that programs read. The same problem is
/// told once. [main]

/// A problem in a file that the user wrote. Warnings count as the level of the log says.
void tell(const core::Diagnostic& problem);
void tell(const core::Diagnostics& problems);
void tell(const core::InputError& problems);

/// A problem of the program: "zz-host: error: ..."
void tell_error(const std::string& message);

/// A chain that failed or was interrupted: every stage that said something, and the problems in input files
/// that it was about.
void tell(const Failure& failure);

/// All errors so far, for a document that is printed: {"message", "hint", "file", "line", "column",
/// "stage"}, each with what is known.
nlohmann::ordered_json errors_json();
/// True once errors_json() was asked for.
bool errors_are_printed();

/// What `--format=json` gives of a verb that could not print what it is for: {"errors", "exit_status"}.
std::string failed_json(int exit_status);

}  // namespace zz::host
