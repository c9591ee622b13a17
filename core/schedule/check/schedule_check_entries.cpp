#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/schedule/check/schedule_check_facts.hpp"

namespace zz::core::check {
namespace {

bool within(int index, std::size_t count) { return index >= 0 && static_cast<std::size_t>(index) < count; }

template <typename Indices>
bool all_within(const Indices& indices, std::size_t count) {
  return std::all_of(indices.begin(), indices.end(), [&](int index) { return within(index, count); });
}

void check_placements(const Schedule& schedule, Findings& findings) {
  const ComputationNodeGraph& graph = *schedule.graph;
  std::vector<int> placed(graph.nodes.size(), 0);
  std::map<std::pair<int, int>, int> core_of_group;
  for (std::size_t place = 0; place < schedule.nodes.size(); ++place) {
    const ScheduledNode& entry = schedule.nodes[place];
    if (!within(entry.node, graph.nodes.size()) ||
        !within(entry.core, schedule.accelerator->cores.size())) {
      findings.add("entry", fmt::format("placement {} names node {} and core {}, which do not both exist",
                                        place, entry.node, entry.core));
      continue;
    }
    const ComputationNode& node = graph.nodes[entry.node];
    const std::string name = fmt::format("node ({}, {})", graph.layer_id(entry.node), node.sub_id);
    if (++placed[entry.node] > 1) findings.add("node missing", name + " is placed more than once");
    const std::vector<CoreCost>& on = schedule.costs->layers[node.layer].on;
    if (std::none_of(on.begin(), on.end(), [&](const CoreCost& cost) { return cost.core == entry.core; })) {
      findings.add("entry",
                   fmt::format("{} is placed on core {}, for which it has no cost", name, entry.core));
    }
    const auto [group, first] = core_of_group.try_emplace({node.layer, node.group}, entry.core);
    if (!first && group->second != entry.core) {
      findings.add("group", fmt::format("{} runs on core {}, other nodes of its group {} on core {}", name,
                                        entry.core, node.group, group->second));
    }
  }
  for (std::size_t node = 0; node < placed.size(); ++node) {
    if (placed[node] > 0) continue;
    findings.add("node missing",
                 fmt::format("node ({}, {}) is not placed", graph.layer_id(static_cast<int>(node)),
                             graph.nodes[node].sub_id));
  }
}

}  // namespace

void check_entries(const Schedule& schedule, Findings& findings) {
  if (!schedule.accelerator || !schedule.graph || !schedule.costs) {
    findings.add("entry", "the schedule lacks its accelerator, graph or costs");
    return;
  }
  const MultiCoreAccelerator& accelerator = *schedule.accelerator;
  const ComputationNodeGraph& graph = *schedule.graph;
  if (schedule.costs->layers.size() != graph.layers.size()) {
    findings.add("entry", fmt::format("costs of {} layers for a graph of {}", schedule.costs->layers.size(),
                                      graph.layers.size()));
    return;
  }
  check_placements(schedule, findings);
  const std::size_t cores = accelerator.cores.size(), memories = accelerator.top_memories.size();
  for (std::size_t i = 0; i < schedule.transfers.size(); ++i) {
    const Transfer& entry = schedule.transfers[i];
    if (within(entry.tensor, graph.tensors.size()) && within(entry.sender, cores) &&
        within(entry.receiver, cores) && within(entry.receiver_memory, memories) &&
        all_within(entry.links, accelerator.links.size()) && entry.own.size() == entry.links.size()) {
      continue;
    }
    findings.add("entry",
                 fmt::format("transfer {} names a tensor, core, memory or link that does not exist", i));
  }
  for (std::size_t i = 0; i < schedule.blocks.size(); ++i) {
    const StreamBlock& entry = schedule.blocks[i];
    if (within(entry.node, graph.nodes.size()) && within(entry.core, cores)) continue;
    findings.add("entry", fmt::format("block {} names a node or core that does not exist", i));
  }
  for (std::size_t i = 0; i < schedule.removals.size(); ++i) {
    const Removal& entry = schedule.removals[i];
    if (within(entry.tensor, graph.tensors.size()) && within(entry.core, cores) &&
        within(entry.memory, memories)) {
      continue;
    }
    findings.add("entry", fmt::format("removal {} names a tensor, core or memory that does not exist", i));
  }
}

}  // namespace zz::core::check
