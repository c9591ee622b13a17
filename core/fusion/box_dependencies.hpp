#pragma once
#include "core/fusion/dependency_list.hpp"
#include "core/fusion/tile_intervals.hpp"

namespace zz::core {

/// Data that one layer writes and another reads unchanged in shape.
struct DataFlow {
  int producer = 0, consumer = 0;  ///< indices into ComputationNodeGraph::layers
  int operand = 0;                 ///< of the consumer
  /// Operators lie between that may have changed the number of elements along an axis in a way unknown:
  /// where the two sides differ, everything depends on everything.
  bool maybe_resized = false;
};

/// For each node of the producer, by sub_id, whether it finishes outputs: it is the last one of the loops
/// whose iterations add up. `sizes` of the loops say where they end.
std::vector<bool> finishing_nodes(const TiledLayer& producer, const std::vector<std::int64_t>& sizes);

/// Adds a dependency for each finishing node of the producer and each node of the consumer that touch a
/// common element: axis by axis, as tiles are boxes. Time and memory linear in tiles along an axis, and in
/// the dependencies that come of it.
///
/// Throws InputError when output and operand have different numbers of axes.
void add_box_dependencies(const ComputationNodeGraph& graph, const DataFlow& flow, bool stream_compat,
                          DependencyList& to);

}  // namespace zz::core
