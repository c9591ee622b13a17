#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/value/value.hpp"

namespace zz::core {

/// Reads `core_allocation`, the core of each gene of a problem:
///
///   [0, 2, 1]                         in the order of the genes: by layer id, then group
///   {0: 0, "6,0": 2, "6,1": 3}        by layer id, or by layer id and group, which takes precedence
///
/// A map may also name layers that have only one core. Throws InputError with every problem: a wrong count,
/// a core that is no candidate or does not exist, an unknown layer or group, a gene without a core.
/// Messages name gene, layer and candidates.
std::vector<int> user_allocation(Ref value, const ScheduleProblem& problem);

/// Reads an order of nodes: a list of [layer id, sub id], the first node first. Null is an empty list.
/// Throws InputError with the wrong entry. ScheduleProblem checks that each node of a graph comes once.
std::vector<std::pair<std::int64_t, int>> user_node_order(Ref value);

/// Reads `layer_ranks` into the ranks of a choice: a map from each layer id of the graph to
/// [offset, slope], or to its offset alone. Null leaves the choice without ranks. Throws InputError with
/// every layer that is unknown, missing, or has something else.
void read_layer_ranks(Ref value, const ComputationNodeGraph& graph, ScheduleChoice& choice);

/// Reads `segments` into a choice: the ids of the layers at which segments begin, ascending. Null leaves
/// the choice without segments; the first layer of the graph need not be named. Throws InputError for
/// layers that are unknown or not ascending, and when a layer reads from one of a later segment.
void read_segments(Ref value, const ComputationNodeGraph& graph, ScheduleChoice& choice);

/// Reads `period` and `resident` into a choice: `least` or a whole number of cycles, and the ids of layers
/// whose constants stay from repeat to repeat, in the order in which they take room. Null leaves the choice
/// without them. Throws InputError for anything else, for layers that are unknown or named twice, or that
/// read no constants which all samples share, for `resident` without `period`, and for `period` as
/// check_samples().
void read_period(Ref period, Ref resident, const ComputationNodeGraph& graph, ScheduleChoice& choice);

/// Throws InputError for an operand that no layer has.
void check_prefetched_operands(const std::vector<std::string>& operands, const ComputationNodeGraph& graph);

}  // namespace zz::core
