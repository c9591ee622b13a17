#pragma once
#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {

/// The mapping with the same energy and latency whose busiest port is least busy, of several the one whose
/// second port is, and so on: what the figures of its ports say is then no whim of the search.
///
/// Searches cut off whatever is no better, so that they do not meet all such mappings. Here they are looked
/// for around the mapping that was found, step by step as long as a step helps: two loops change places, a
/// memory of one operand ends elsewhere, or both. So it is the least busy one around, seldom not of all. A
/// `temporal_ordering` of the layer keeps its loops in their places. Takes some microseconds a step, and
/// depends on nothing but its arguments. [any]
///
/// REQUIRES: a mapping of the problem that has room in its memories.
CompactMapping least_busy(const MappingProblem& problem, const CompactMapping& mapping);

}  // namespace zz::core
