#pragma once
#include "core/multicore/check/detail/facts.hpp"

namespace zz::core::check {

/// Memories hold no more than their size, and nothing leaves that is not there or still in use. Expects
/// that nodes and transfers were checked: that notes who uses which copy until when.
void check_memories(const Facts& facts, Findings& findings);

}  // namespace zz::core::check
