#pragma once
#include <string>
#include <vector>

#include "core/multicore/explain/resource_times.hpp"
#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

/// A stretch of the critical chain of a schedule: something that runs, or a wait that nothing which runs
/// explains.
struct ChainPart {
  TimeUse use = TimeUse::nothing_left;
  std::string resource;  ///< the label of its core, link or memory; "" where none is known
  bool core = false;     ///< the resource is a core
  int node = -1;         ///< position in Schedule::nodes of what runs or waits; -1: none
  int transfer = -1;     ///< position in Schedule::transfers of what moves or waits; -1: none
  double start = 0, end = 0;

  double cycles() const { return end - start; }
  bool is_wait() const { return use >= TimeUse::earlier_nodes; }
};

/// The critical chain: from the end of the schedule back, each node or transfer led by the one that it
/// waited for. That is the one whose end is its start: the node before it on its core, a node that it
/// depends on, a transfer of its data, what carried something on its links before it, or what left the
/// memory that it needs. Where nothing ends at that cycle, the time back to the last thing that it depends
/// on is a wait, with the cause that resource_times() gives.
///
/// The latest part comes first. Each one starts where the next one ends, the first ends at the latency, the
/// last starts at cycle 0: the parts add up to the latency. The schedule must have its accelerator and
/// graph.
std::vector<ChainPart> critical_chain(const Schedule& schedule);

/// The cycles of a resource on the critical chain.
struct ChainShare {
  std::string resource;
  bool core = false;
  double cycles = 0;
};

/// By resource, most first; of equals what comes first on the chain.
std::vector<ChainShare> chain_shares(const std::vector<ChainPart>& chain);

/// The limit of a schedule: the busiest resource of its critical chain. Cores count together before each
/// by itself: "cores" where they have more of the chain than any link or memory, and none of them has so by
/// itself, or none more than half of what they have; else the label of the first resource.
struct ScheduleLimit {
  std::string resource;  ///< "" of a schedule without anything
  double cycles = 0;
};
ScheduleLimit schedule_limit(const std::vector<ChainShare>& shares);

}  // namespace zz::core
