#pragma once
#include "core/value/value.hpp"

namespace zz::host {

/// Checks a schedule that a stage made, or changed in `base`, by the rules of the host's scheduler. `made`
/// is a schedule or an evaluation. Schedules with Stream's defects break some rules and are not checked.
/// Throws core::ValueError with rule, node, tensor or memory, and cycle.
void check_made_schedule(const core::Value& made, const core::Value& base);

}  // namespace zz::host
