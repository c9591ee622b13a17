#pragma once
#include "core/multicore/check/detail/facts.hpp"
#include "core/multicore/check/detail/findings.hpp"

namespace zz::core::check {

/// What stays inside of a core between two nodes is written whole by one and read there by all that read
/// it, in a memory below the topmost ones that has room for it as long as it waits; and the nodes have
/// costs for that, with which they are no longer and stream no more.
void check_exchanges(const Facts& facts, Findings& findings);

}  // namespace zz::core::check
