#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// A rule that the computation nodes of a network break.
struct PartitionViolation {
  /// - "layers": a layer of the network is missing, or another one than it says;
  /// - "coverage": an iteration belongs to no node or to several, or a node has none;
  /// - "shape": what a core is asked for a node is not a layer of the node's iterations;
  /// - "tensor": a tensor is not the box that its nodes touch, clipped to the data: its bits, its number of
  ///   uses, who shares it; or the pieces of a constant leave a part of it out;
  /// - "reduction": nodes that add to the same outputs are in different groups, or the wrong one finishes;
  /// - "order": nodes of a group do not wait for each other, or the order of all nodes contradicts them;
  /// - "dependency missing": a node reads an element and does not wait for the node that finishes it;
  /// - "dependency": a node waits for one of which it reads nothing, for too many bits, or twice.
  std::string rule;
  std::string what;  ///< names layer, node and operand
};

/// Checks a partition against the network alone, by the default rules: which iterations, elements and
/// finished elements belong to each node is worked out anew. Shares no code with what cuts and connects
/// layers. At most `most` violations.
///
/// Where operators between two layers only keep elements in their places, dependencies are compared as
/// boxes; elsewhere element by element, in large data at the corners of what a node reads. A node may wait
/// for all of a layer where elements are moved; only too few dependencies are wrong there.
std::vector<PartitionViolation> find_partition_violations(const Workload& workload,
                                                          const ComputationNodeGraph& graph,
                                                          std::size_t most = 100);

}  // namespace zz::core
