#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

/// The use that a core or a link makes of a cycle, or the cause of its waiting.
enum class TimeUse {
  computing,           ///< a core runs a node, and its array computes
  stalling,            ///< it runs a node whose cost says that the array waits: stalls and loading
  carrying_constants,  ///< a link carries weights and inputs of the network from off chip
  carrying_data,       ///< a link carries what nodes have made
  writing_back,        ///< a link writes results and evicted data off chip
  streaming,           ///< a link is reserved for operands that are too large for a core
  /// A node waits for what it streams: at the port of the off-chip memory, as its cost says, or for longer
  /// than its cost, because its streams get less than they can use.
  slow_streams,
  earlier_nodes,     ///< nodes before have not computed yet what comes next
  constants_coming,  ///< a core waits while constants are on their way
  data_coming,       ///< a core waits while data are on their way
  busy_links,        ///< a transfer or a stream that is next cannot begin: its links carry something else
  memory,            ///< there is no room yet for what is next
  nothing_left,      ///< nothing is to be done any more, or nothing is asked for yet
};
inline constexpr int time_use_count = 13;
/// For people, in the order of TimeUse.
inline constexpr std::array<const char*, time_use_count> time_use_names = {
    "computing",
    "stalls and loading within nodes",
    "carrying constants",
    "carrying data",
    "writing off-chip",
    "streaming",
    "slowed by its streams",
    "waits for earlier nodes",
    "waits for constants on the way",
    "waits for data on the way",
    "waits for busy links",
    "waits for room in a memory",
    "nothing to do"};
static_assert(time_use_names.back() != nullptr);

/// A part of the time in which a node runs: from the end of the part before it, or its start.
struct NodeTime {
  TimeUse use = TimeUse::computing;
  double end = 0;
};

/// The cycles of a node by use, in this order: computing, stalling, and waiting for its streams. Without a
/// cost it computes all the time.
std::vector<NodeTime> node_times(const ScheduledNode& node, const CoreCost* cost);

/// Cycles by TimeUse.
using UseCycles = std::array<double, time_use_count>;

struct ResourceTime {
  std::string label;  ///< of the resource, as schedule_labels.hpp has it
  bool link = false;
  int index = 0;       ///< of the core or link
  UseCycles cycles{};  ///< their sum is the latency of the schedule
};

/// The cycles of each resource by use: cores that can compute, then links that are used, the port of the
/// off-chip memory among them.
///
/// Each idle cycle counts for one cause, that of what the resource does next: first for the nodes that it
/// depends on, then for the transfers of its data (busy links of their way, room where they go, then the
/// transfers themselves), then for room or streams. What several bars on a link share counts for the one
/// that began first.
///
/// The schedule must have its accelerator and graph; without costs no stream counts as slow.
std::vector<ResourceTime> resource_times(const Schedule& schedule);

/// The share of each node in the cycles of its core, by position in Schedule::nodes: what its core waited
/// for before it, and what it does in the node. The rest of a core's cycles is after its last node.
std::vector<UseCycles> node_uses(const Schedule& schedule);

}  // namespace zz::core
