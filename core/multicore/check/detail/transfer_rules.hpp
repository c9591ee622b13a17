#pragma once
#include "core/multicore/check/detail/facts.hpp"

namespace zz::core::check {

// Both expect lists whose indices exist.

/// A transfer starts from data that are there, takes the time that every link needs, and follows a route.
void check_transfers(Facts& facts, Findings& findings);

/// Links carry no more than their bandwidth, and are reserved for what nodes stream.
void check_links(const Facts& facts, Findings& findings);

}  // namespace zz::core::check
