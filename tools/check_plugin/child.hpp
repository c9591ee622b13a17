#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tools/check_plugin/findings.hpp"

namespace zz::host {

/// Runs a check in a child process, in a temporary folder that is removed afterwards. A crash of it, an
/// exception that escapes, an early exit and a call that does not end are observations like any other:
/// a crash and an exit break `crash_rule`, an exception F1, a call without end `hang_rule`.
///
/// A child that takes longer than a few seconds is first asked to stop (cancellation), then killed.
std::vector<Observation> observe_in_child(const std::function<void(Findings&)>& check,
                                          const char* crash_rule, const char* hang_rule);

}  // namespace zz::host
