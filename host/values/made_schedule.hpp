#pragma once
#include "core/value/value.hpp"

namespace zz::host {

/// Holds a schedule that a stage made, or changed in `base`, to the rules of the host's own scheduler:
/// `made` is a schedule or an evaluation. Those that reproduce Stream's defects break some of the rules,
/// and what energy a stage counts is its own affair. Throws core::ValueError naming rule, node, tensor or
/// memory, and cycle.
void check_made_schedule(const core::Value& made, const core::Value& base);

}  // namespace zz::host
