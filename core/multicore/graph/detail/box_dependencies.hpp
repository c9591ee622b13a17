#pragma once
#include "core/multicore/graph/detail/dependency_list.hpp"
#include "core/multicore/graph/detail/piece_intervals.hpp"

namespace zz::core {

/// Data that one layer writes and another reads unchanged in shape.
struct DataFlow {
  int producer = 0, consumer = 0;  ///< indices into ComputationNodeGraph::layers
  int operand = 0;                 ///< of the consumer
  /// Operators between the layers may have changed the number of elements along an axis in an unknown way.
  /// Along axes where the two sides differ, every node then depends on every node.
  bool maybe_resized = false;
};

/// By sub_id, whether a node of the producer finishes outputs: whether it is the last one of the reduction
/// loops. `sizes` are those of the loops.
std::vector<bool> finishing_nodes(const CutLayer& producer, const std::vector<std::int64_t>& sizes);

/// Adds a dependency for each finishing node of the producer and each node of the consumer that touch a
/// common element. Pieces are boxes, so that axes can be compared one by one. Time and memory are linear in
/// the pieces along an axis and in the dependencies found.
///
/// Throws InputError when output and operand have different numbers of axes.
void add_box_dependencies(const ComputationNodeGraph& graph, const DataFlow& flow, const Rules& rules,
                          DependencyList& to);

}  // namespace zz::core
