#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// A network with each layer in one piece.
ComputationNodeGraph uncut(const Workload& workload, const MultiCoreAccelerator& accelerator);

/// An input operand of a layer whose elements are those of another layer's output, each in its place.
struct DirectInput {
  int producer = 0, consumer = 0;  ///< layers of the graph
  int operand = 0;                 ///< of the consumer
};

/// Only operators that keep every element in its place lie between, and the extents agree. All other
/// connections are left out.
std::vector<DirectInput> direct_inputs(const Workload& workload, const ComputationNodeGraph& whole);

/// Coordinates along one axis of an operand that are read, when so many of each loop are made: a run of
/// them wherever that needs fewest. With whole loops: all that the layer touches.
std::int64_t touched_along(const CutLayer& whole, int operand, std::size_t axis,
                           const std::vector<std::int64_t>& loop_counts);

/// Elements of an operand that real iterations touch.
double touched_elements(const CutLayer& whole, int operand);

}  // namespace zz::core
