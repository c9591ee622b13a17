#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/schedule/schedule_problem.hpp"
#include "core/value/value.hpp"

namespace zz::core {

/// The core of each gene of a problem, from what a user writes as `core_allocation`:
///
///   [0, 2, 1]                         in the order of the genes: by layer id, then group
///   {0: 0, "6,0": 2, "6,1": 3}        by layer id, or layer id and group; the latter decides
///
/// A map may name layers without a choice, with their own core. Throws InputError with everything that is
/// wrong: a count that does not match, a core that is no candidate or does not exist, a layer or group that
/// is not there, a gene that the map leaves open. Messages name gene, layer and candidates.
std::vector<int> user_allocation(Ref value, const ScheduleProblem& problem);

/// An order of nodes as users and stages write it: a list of [layer id, sub id], first one first. Null is
/// an empty list. Throws InputError naming the entry that is something else. Whether it names each node of
/// a graph once is checked by ScheduleProblem.
std::vector<std::pair<std::int64_t, int>> user_node_order(Ref value);

/// Throws InputError when an operand that is to be prefetched is none of any layer's.
void check_prefetched_operands(const std::vector<std::string>& operands, const ComputationNodeGraph& graph);

}  // namespace zz::core
