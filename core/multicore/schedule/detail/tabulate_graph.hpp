#pragma once
#include "core/multicore/schedule/schedule_tables.hpp"

namespace zz::core {

// The last two steps of building the tables of a problem, which need those of hardware and costs.

/// Nodes with their order and successors, tensors. Throws InputError when the order of the options does not
/// name each node once.
void tabulate_graph(ScheduleProblem::Tables& tables);

/// The needs of each node, the readers of each tensor, the prefetched tensors. Needs the tables of the
/// graph.
void tabulate_uses(ScheduleProblem::Tables& tables);

}  // namespace zz::core
