#include <algorithm>
#include <fmt/format.h>

#include "core/schedule/check/schedule_check_facts.hpp"

namespace zz::core::check {
namespace {

void check_cores(const Facts& facts, Findings& findings) {
  std::vector<const ScheduledNode*> placed;
  for (const ScheduledNode& entry : facts.schedule.nodes) placed.push_back(&entry);
  std::stable_sort(placed.begin(), placed.end(), [](const ScheduledNode* a, const ScheduledNode* b) {
    return std::tie(a->core, a->start, a->end) < std::tie(b->core, b->start, b->end);
  });
  const ScheduledNode* latest = nullptr;
  for (const ScheduledNode* entry : placed) {
    if (latest && latest->core == entry->core && above(latest->end, entry->start)) {
      findings.add("core overlap", fmt::format("{} starts on {} at cycle {}, where {} runs until {}",
                                               facts.node_name(entry->node), facts.core_name(entry->core),
                                               entry->start, facts.node_name(latest->node), latest->end));
    }
    if (!latest || latest->core != entry->core || entry->end > latest->end) latest = entry;
  }
}

void check_duration(const Facts& facts, const ScheduledNode& entry, Findings& findings) {
  const CoreCost& cost = *facts.cost_of[entry.node];
  const double duration = entry.end - entry.start;
  const bool too_short = above(cost.runtime, duration);
  // Streaming may hold a node up.
  const bool too_long = cost.streamed.empty() && above(duration, cost.runtime);
  if (!too_short && !too_long && entry.start >= 0) return;
  findings.add("runtime", fmt::format("{} runs from cycle {} to {} on {}, where it takes {} cycles",
                                      facts.node_name(entry.node), entry.start, entry.end,
                                      facts.core_name(entry.core), cost.runtime));
}

void check_order(const Facts& facts, const ScheduledNode& entry, Findings& findings) {
  const ComputationNodeGraph& graph = facts.graph;
  for (int i = graph.predecessor_begin[entry.node]; i < graph.predecessor_begin[entry.node + 1]; ++i) {
    const int before = graph.dependencies[graph.predecessors[i]].from;
    const double end = facts.placement(before).end;
    if (!above(end, entry.start)) continue;
    findings.add("order",
                 fmt::format("{} starts at cycle {}, before its predecessor {} ends at {}",
                             facts.node_name(entry.node), entry.start, facts.node_name(before), end));
  }
}

std::string shortcoming(const Copy* nearest, double start) {
  if (!nearest) return "which it never reaches";
  if (above(nearest->ready, start)) return fmt::format("where it arrives at {}", nearest->ready);
  const char* when = !above(nearest->removed, start) ? "before the start" : "while the node runs";
  return fmt::format("which it leaves at {}, {}", nearest->removed, when);
}

void check_inputs(Facts& facts, const ScheduledNode& entry, int decided, Findings& findings) {
  const int layer = facts.graph.nodes[entry.node].layer;
  const std::vector<int>& constants = facts.graph.layers[layer].constants;
  for (const Need& need : facts.needs(entry.node)) {
    if (facts.graph.tensors[need.tensor].bits == 0) continue;
    const bool constant = std::find(constants.begin(), constants.end(), need.operand) != constants.end();
    // Constants are off-chip all the time.
    if (need.streamed && constant) continue;
    if (!constant && above(facts.produced_at[need.tensor], entry.start)) {
      findings.add("input incomplete",
                   fmt::format("{} starts at cycle {}, before its input, {}, is complete at {}",
                               facts.node_name(entry.node), entry.start, facts.tensor_name(need.tensor),
                               facts.produced_at[need.tensor]));
    }
    const int core = need.streamed ? facts.offchip : entry.core;
    const int memory = core < 0 ? -1 : facts.memory_for(core, layer, need.operand);
    const Copy* nearest = nullptr;
    if (memory >= 0 && facts.use_copy(need.tensor, {memory}, entry.start, entry.end, decided, nearest))
      continue;
    findings.add(
        need.streamed ? "streamed input missing" : "input missing",
        fmt::format("{} starts at cycle {} and needs {} in {}, {}", facts.node_name(entry.node),
                    entry.start, facts.tensor_name(need.tensor),
                    memory < 0 ? std::string("a memory that its core lacks") : facts.memory_name(memory),
                    shortcoming(nearest, entry.start)));
  }
}

}  // namespace

void check_nodes(Facts& facts, Findings& findings) {
  check_cores(facts, findings);
  for (std::size_t place = 0; place < facts.schedule.nodes.size(); ++place) {
    const ScheduledNode& entry = facts.schedule.nodes[place];
    check_duration(facts, entry, findings);
    check_order(facts, entry, findings);
    check_inputs(facts, entry, 2 * static_cast<int>(place), findings);
  }
}

}  // namespace zz::core::check
