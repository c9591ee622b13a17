#pragma once
#include "core/multicore/check/detail/facts.hpp"
#include "core/multicore/check/detail/findings.hpp"

namespace zz::core::check {

// Rules of memories and links. All expect lists whose indices exist.

/// A transfer starts from data that are there, takes the time that every link needs, and follows a route.
void check_transfers(Facts& facts, Findings& findings);

/// The same for transfers before the first repeat of a steady state, which bring constants alone.
void check_fill(const Facts& facts, Findings& findings);

/// Links carry no more than their bandwidth, and are reserved for what nodes stream.
void check_links(const Facts& facts, Findings& findings);

/// Memories hold no more than their size, and nothing leaves that is not there or still in use. Expects
/// that nodes and transfers were checked: that notes who uses which copy until when.
void check_memories(const Facts& facts, Findings& findings);

}  // namespace zz::core::check
