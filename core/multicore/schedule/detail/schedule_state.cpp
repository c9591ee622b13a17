#include "core/multicore/schedule/detail/schedule_state.hpp"

#include <algorithm>
#include <numeric>

#include "core/multicore/schedule/detail/ready_list.hpp"

namespace zz::core {
namespace {

/// Ranks by the offsets and slopes of a choice; equal ones in the order of the problem.
void rank_by_layers(const ScheduleProblem::Tables& tables, const ScheduleChoice& choice,
                    std::vector<int>& ranks) {
  const ComputationNodeGraph& graph = *tables.graph;
  std::vector<double> key(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const ComputationNode& node = graph.nodes[i];
    const double slope = choice.layer_slope.empty() ? 0 : choice.layer_slope[node.layer];
    key[i] = choice.layer_offset[node.layer] + slope * node.sub_id / graph.layers[node.layer].node_count;
  }
  std::vector<int> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::tuple(key[a], tables.rank_of[a]) < std::tuple(key[b], tables.rank_of[b]);
  });
  ranks.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int>(i);
}

}  // namespace

ScheduleState::ScheduleState(const ScheduleProblem::Tables& problem)
    : tables(problem), uses(problem), kept(problem.tensor_count, 0) {
  group_core.resize(tables.groups.size());
  usage.resize(tables.memory_count);
  links.resize(tables.accelerator->links.size());
  core_busy.resize(tables.core_count);
}

void ScheduleState::reset(const ScheduleChoice& choice, bool exact) {
  for (std::size_t group = 0; group < group_core.size(); ++group) {
    const NodeGroup& entry = tables.groups[group];
    group_core[group] = entry.gene < 0 ? entry.core : choice.cores[entry.gene];
  }
  node_end.assign(tables.node_count, -1);
  predecessors_end.assign(tables.node_count, 0);
  core_idle.assign(tables.core_count, 0);
  if (choice.back_filling) {
    for (Occupancy& core : core_busy) core.reset(1);
  }
  for (int memory = 0; memory < tables.memory_count; ++memory)
    usage[memory].reset(tables.memories[memory].size);
  for (std::size_t link = 0; link < links.size(); ++link) {
    links[link].reset(tables.accelerator->links[link].bandwidth);
  }
  copies.reset(tables.tensor_count, tables.memory_count);
  uses.reset(group_core);
  const Rules& rules = tables.options.rules;
  if (rules.repeated_transfers_free || rules.whole_elements_streamed) carried.reset(tables.tensor_count);
  if (!rules.repeated_transfers_free) transfers.reset(tables.tensor_count);
  energy.fill(0);
  latest_transfer = 0;
  scheduled = 0;
  exact_offchip = exact;
  offchip_sum = 0;
  failure = {};

  const bool own_ranks = !choice.layer_offset.empty();
  if (own_ranks) rank_by_layers(tables, choice, ranks);
  if (choice.dispatch == DispatchRule::rank) {
    if (own_ranks) order_by_rank(tables.successors, tables.predecessor_count, ranks, waiting, sequence);
    return;
  }
  waiting = tables.predecessor_count;
  ready.reset(choice.dispatch, tables.core_count, own_ranks ? ranks : tables.rank_of);
  if (choice.dispatch != DispatchRule::critical_path) return;
  path_left.assign(tables.node_count, 0);
  for (auto node = tables.default_sequence.rbegin(); node != tables.default_sequence.rend(); ++node) {
    double longest = 0;
    for (const int successor : tables.successors[*node]) longest = std::max(longest, path_left[successor]);
    path_left[*node] = longest + tables.node_cost(*node, group_core[tables.group_of[*node]]).runtime;
  }
}

}  // namespace zz::core
