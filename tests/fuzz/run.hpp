#pragma once
#include <string>

#include "tests/fuzz/project.hpp"

namespace zz::fuzz {

/// Runs the host over a project in a child of this process, in a new folder below `folder`, and removes
/// that. Returns what a user must never see, or "": an end by a signal, more than twenty seconds of
/// processor time or four gigabytes of memory, a run that SIGINT does not end, an exit code that means
/// nothing, a failure without a message that names what it is about, a half-written file, or success with
/// numbers that are none. Of a server: an end before the requests end, a line that is no message, a request
/// without exactly one answer, or a file outside of its folder.
std::string run_project(const Project& project, const std::string& folder);

}  // namespace zz::fuzz
