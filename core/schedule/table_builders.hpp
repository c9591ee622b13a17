#pragma once
#include "core/schedule/schedule_tables.hpp"

namespace zz::core {

// The steps of building the tables of a problem, each from what the ones before have filled in. They throw
// InputError for what cannot be scheduled at all.

/// Memories, operands of memories, routes.
void tabulate_hardware(ScheduleProblem::Tables& tables);
/// Groups, genes and costs of nodes on cores.
void tabulate_costs(ScheduleProblem::Tables& tables);
/// Nodes with their order, and tensors.
void tabulate_graph(ScheduleProblem::Tables& tables);
/// What each node needs and who reads each tensor.
void tabulate_uses(ScheduleProblem::Tables& tables);

/// Index of a memory operand; one that no memory holds is added.
int memory_operand_index(ScheduleProblem::Tables& tables, const std::string& name);

}  // namespace zz::core
