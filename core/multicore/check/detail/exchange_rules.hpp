#pragma once
#include "core/multicore/check/detail/facts.hpp"
#include "core/multicore/check/detail/findings.hpp"

namespace zz::core::check {

/// Data that stay inside of a core between two nodes are written whole by one and read there by all that
/// read them, in a memory below the topmost ones that has room for them as long as they wait; and the nodes
/// have costs for that, with which they are no longer and stream no more.
void check_exchanges(const Facts& facts, Findings& findings);

}  // namespace zz::core::check
