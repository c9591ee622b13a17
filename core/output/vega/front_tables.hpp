#pragma once
#include "core/allocation/allocation_search.hpp"
#include "core/output/vega/vega_tables.hpp"

namespace zz::core {

/// The findings of an allocation search as tables for its picture:
///   search {title, subtitle, bound}                                       one row
///   points {point, latency, energy, order, yielded, genes, allocation}    by ascending energy, from 1
/// `genes` are the cores, `allocation` the same for people: layer by layer. `yielded`: the stage passes
/// this one on, the one with the lowest latency, or all of them.
VegaTables front_tables(const ScheduleProblem& problem, const AllocationResult& found, bool all_yielded);

}  // namespace zz::core
