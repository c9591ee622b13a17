#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// A rule that the nodes of a network or a schedule of them break.
///
/// Rules of the nodes, which find_partition_violations() checks:
/// - "layers": a layer of the network is missing, or another one than it says;
/// - "coverage": an iteration belongs to no node or to several, or a node has none;
/// - "shape": what a core is asked for a node is not a layer of the node's iterations;
/// - "tensor": a tensor is not the box that its nodes touch, clipped to the data: its bits, its number of
///   uses, who shares it; or the pieces of a constant leave a part of it out;
/// - "samples": a sample is not cut and connected as the first one ("tensor", "dependency" and "order" also
///   where samples share more than constants, or wait for each other other than within groups);
/// - "reduction": nodes that add to the same outputs are in different groups, or the wrong one finishes;
/// - "order": nodes of a group do not wait for each other, or the order of all nodes contradicts them;
/// - "dependency missing": a node reads an element and does not wait for the node that finishes it;
/// - "dependency": a node waits for one of which it reads nothing, for too many bits, or twice.
///
/// Rules of a schedule, which find_violations() checks (docs/scheduling.md explains them):
/// - "entry": a list names what does not exist, or a core without a cost for the node;
/// - "node missing", "group": a node is placed never or twice, or apart from its group;
/// - "core overlap", "runtime", "order": a core runs two nodes at once, a node takes another time than its
///   cost, or starts before one that it waits for has ended;
/// - "input incomplete", "input missing", "streamed input missing": data that a node needs are not there;
/// - "lockstep": a constant does not come to all cores of a lockstep group at once;
/// - "source missing", "route", "transfer rate", "shared transfer", "link", "streaming": transfers of
/// absent
///   data, over links that do not lead there, beyond their bandwidth, or with less than a node streams;
/// - "memory", "removal", "write-back", "memory trace": a memory holds more than its size, data leave that
/// are
///   not there or that are needed, or the stated use does not follow from the lists;
/// - "exchange": a tensor stays inside of a core although not all that read it run there, or not whole, or
/// in
///   a memory that cannot have it or has no room for it, or with no cost for it;
/// - "output missing": a result does not stay in the off-chip memory;
/// - "energy", "latency": figures that do not follow from the lists.
struct Violation {
  std::string rule;
  std::string what;  ///< names layer, node, operand, tensor, memory or link, and the cycle
};

/// Checks a partition against the network alone, by the default rules: which iterations, elements and
/// finished elements belong to each node is worked out anew. Shares no code with what cuts and connects
/// layers. At most `most` violations.
///
/// Where operators between two layers only keep elements in their places, dependencies are compared as
/// boxes; elsewhere element by element, in large data at the corners of what a node reads. A node may wait
/// for all of a layer where elements are moved; only too few dependencies are wrong there.
std::vector<Violation> find_partition_violations(const Workload& workload,
                                                 const ComputationNodeGraph& graph, std::size_t most = 100);

/// Replays a schedule from its lists alone and reports whatever could not happen: a core, link or memory
/// used twice or beyond its capacity, a node that starts before its inputs are there, data that appear or
/// vanish, energies that do not add up. Shares no code with the scheduler. At most `most` violations.
///
/// A schedule with a period is unrolled: cores, links and memories are looked at with as many repeats as
/// are under way at once, and one more. That shows every collision, as those of all later repeats are the
/// same. The transfers before the first repeat are replayed by themselves.
std::vector<Violation> find_violations(const Schedule& schedule, std::size_t most = 100);

}  // namespace zz::core
