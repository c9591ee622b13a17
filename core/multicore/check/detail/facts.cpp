#include "core/multicore/check/detail/facts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/multicore/graph/samples.hpp"

namespace zz::core::check {
namespace {

struct Arrival {
  int tensor = 0;
  Copy copy;
};

}  // namespace

bool above(double a, double b) { return a > b + 1e-9 * std::max(1.0, std::abs(b)); }

Facts::Facts(const Schedule& whole)
    : schedule(whole),
      accelerator(*whole.accelerator),
      graph(*whole.graph),
      offchip(whole.accelerator->offchip_core.value_or(-1)),
      placement_of(whole.graph->nodes.size(), -1),
      cost_of(whole.graph->nodes.size(), nullptr),
      exchanges_of(whole.graph->nodes.size()),
      produced_at(whole.graph->tensors.size(), 0),
      copies(whole.graph->tensors.size()) {
  for (std::size_t position = 0; position < schedule.nodes.size(); ++position) {
    const ScheduledNode& scheduled = schedule.nodes[position];
    placement_of[scheduled.node] = static_cast<int>(position);
    cost_of[scheduled.node] = schedule.costs->find(graph.nodes[scheduled.node], scheduled.core);
    if (const int output = graph.nodes[scheduled.node].tensors[0]; output >= 0) {
      produced_at[output] = std::max(produced_at[output], scheduled.end);
    }
  }
  if (schedule.period > 0) repeats = static_cast<int>(std::ceil(schedule.latency / schedule.period)) + 1;
  collect_copies();
  collect_exchanges();
}

std::string Facts::of_repeats() const {
  return schedule.period > 0 ? fmt::format(", with a repeat every {} cycles", schedule.period) : "";
}

void Facts::collect_exchanges() {
  const auto add = [&](int node, int operand, int exchange_memory) {
    InnerExchange& of_node = exchanges_of[node];
    of_node.memory = of_node.exchanged.empty() || of_node.memory == exchange_memory ? exchange_memory : -2;
    of_node.exchanged.push_back(operand);
    std::sort(of_node.exchanged.begin(), of_node.exchanged.end());
    of_node.exchanged.erase(std::unique(of_node.exchanged.begin(), of_node.exchanged.end()),
                            of_node.exchanged.end());
  };
  for (const Exchange& exchange : schedule.exchanges) {
    add(exchange.from, 0, exchange.memory);
    add(exchange.to, exchange.operand, exchange.memory);
  }
  spent_by = cost_of;
  for (std::size_t node = 0; node < exchanges_of.size(); ++node) {
    const auto& [exchange_memory, exchanged] = exchanges_of[node];
    if (exchanged.empty()) continue;
    spent_by[node] = schedule.costs->find_exchanging(
        graph.nodes[node], placement(static_cast<int>(node)).core, exchange_memory, exchanged);
  }
}

bool Facts::streams(int node, int operand) const {
  const std::vector<int>& streamed = cost_of[node]->streamed;
  return std::find(streamed.begin(), streamed.end(), operand) != streamed.end();
}

int Facts::memory_for(int core, int layer, int operand) const {
  const std::string& wanted = graph.layers[layer].layer->memory_operand(operand);
  for (const int memory : accelerator.cores_tops[core]) {
    const std::vector<std::string>& held = accelerator.top_memories[memory].operands;
    if (std::find(held.begin(), held.end(), wanted) != held.end()) return memory;
  }
  return -1;
}

std::vector<int> Facts::memories_of(int core) const { return accelerator.cores_tops[core]; }

std::vector<Need> Facts::needs(int node) const {
  const ComputationNode& entry = graph.nodes[node];
  std::vector<Need> needs;
  for (const int operand : graph.layers[entry.layer].constants) {
    if (entry.tensors[operand] >= 0) {
      needs.push_back({entry.tensors[operand], operand, streams(node, operand)});
    }
  }
  for (int i = graph.predecessor_begin[node]; i < graph.predecessor_begin[node + 1]; ++i) {
    const Dependency& dependency = graph.dependencies[graph.predecessors[i]];
    const int tensor = graph.nodes[dependency.from].tensors[0];
    if (dependency.operand < 0 || tensor < 0 || graph.nodes[dependency.from].layer == entry.layer) continue;
    needs.push_back({tensor, dependency.operand, streams(node, dependency.operand)});
  }
  return needs;
}

void Facts::collect_copies() {
  std::vector<Arrival> arrivals;
  const auto arrive = [&](int tensor, int memory, int decided, double start, double ready) {
    if (tensor < 0 || memory < 0) return;
    Copy copy;
    const PieceTensor& piece = graph.tensors[tensor];
    copy.for_all_repeats = schedule.period > 0 && decided < 0 && piece.operand > 0 &&
                           shared_by_samples(*graph.layers[piece.layer].layer, piece.operand);
    copy.memory = memory;
    copy.decided = decided;
    copy.start = start;
    copy.ready = ready;
    copy.used_until = ready;
    arrivals.push_back({tensor, copy});
  };
  std::vector<char> given(graph.tensors.size(), 0);
  for (std::size_t node = 0; node < graph.nodes.size() && offchip >= 0; ++node) {
    const ComputationNode& entry = graph.nodes[node];
    const bool source = graph.predecessor_begin[node] == graph.predecessor_begin[node + 1];
    const std::vector<int>& constants = graph.layers[entry.layer].constants;
    for (int operand = 1; operand < most_operands; ++operand) {
      const int tensor = entry.tensors[operand];
      const bool constant = std::find(constants.begin(), constants.end(), operand) != constants.end();
      if (tensor < 0 || given[tensor] || (!constant && !source)) continue;
      given[tensor] = 1;
      arrive(tensor, memory_for(offchip, entry.layer, operand), -1, 0, 0);
    }
  }
  for (const Transfer& transfer : schedule.fill)
    arrive(transfer.tensor, transfer.receiver_memory, -1, 0, 0);
  for (const Transfer& transfer : schedule.transfers) {
    arrive(transfer.tensor, transfer.receiver_memory, 2 * transfer.nodes_before, transfer.start,
           transfer.end);
  }
  for (std::size_t position = 0; position < schedule.nodes.size(); ++position) {
    const ScheduledNode& scheduled = schedule.nodes[position];
    const ComputationNode& entry = graph.nodes[scheduled.node];
    const int holder = streams(scheduled.node, 0) ? offchip : scheduled.core;
    if (holder >= 0) {
      arrive(entry.tensors[0], memory_for(holder, entry.layer, 0), 2 * static_cast<int>(position) + 1,
             scheduled.start, scheduled.end);
    }
  }
  std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
    return std::tie(a.tensor, a.copy.memory, a.copy.decided) <
           std::tie(b.tensor, b.copy.memory, b.copy.decided);
  });
  std::vector<const Removal*> removals;
  for (const Removal& removal : schedule.removals) removals.push_back(&removal);
  std::stable_sort(removals.begin(), removals.end(), [](const Removal* a, const Removal* b) {
    return std::tie(a->tensor, a->memory, a->nodes_before) <
           std::tie(b->tensor, b->memory, b->nodes_before);
  });

  // Both lists are in the order of decisions for each (tensor, memory): a removal ends what is there.
  // Within one decision a tensor that is there leaves before it comes back, another one comes before it
  // leaves.
  std::size_t next = 0;
  const auto stay_of = [](const auto& tensor, const auto& memory) { return std::pair(tensor, memory); };
  for (std::size_t begin = 0; begin < arrivals.size();) {
    const auto stay = stay_of(arrivals[begin].tensor, arrivals[begin].copy.memory);
    while (next < removals.size() && stay_of(removals[next]->tensor, removals[next]->memory) < stay) {
      groundless.push_back(removals[next++]);
    }
    std::vector<Copy>& stays = copies[stay.first];
    std::size_t open = stays.size();  // first copy that is still there
    const auto more_removals = [&] {
      return next < removals.size() && stay_of(removals[next]->tensor, removals[next]->memory) == stay;
    };
    std::size_t at = begin;
    const auto more_arrivals = [&] {
      return at < arrivals.size() && stay_of(arrivals[at].tensor, arrivals[at].copy.memory) == stay;
    };
    while (more_arrivals() || more_removals()) {
      const bool there = open < stays.size();
      bool leaves = more_removals();
      if (leaves && more_arrivals()) {
        const int in = arrivals[at].copy.decided, out = 2 * removals[next]->nodes_before;
        leaves = out < in || (out == in && there);
      }
      if (!leaves) {
        stays.push_back(arrivals[at++].copy);
        continue;
      }
      const Removal* removal = removals[next++];
      if (!there) groundless.push_back(removal);
      for (; open < stays.size(); ++open) {
        stays[open].removed = removal->time;
        stays[open].removal = removal;
      }
    }
    begin = at;
  }
  while (next < removals.size()) groundless.push_back(removals[next++]);
}

std::pair<Copy*, Copy*> Facts::copies_in(int tensor, int memory) {
  std::vector<Copy>& all = copies[tensor];
  const auto [first, last] =
      std::equal_range(all.begin(), all.end(), Copy{memory},
                       [](const Copy& a, const Copy& b) { return a.memory < b.memory; });
  return {all.data() + (first - all.begin()), all.data() + (last - all.begin())};
}

const Copy* Facts::use_copy(int tensor, const std::vector<int>& memories, double start, double end,
                            int decided, const Copy*& nearest) {
  nearest = nullptr;
  const auto serves = [&](const Copy& copy) {
    return !above(copy.ready, start) && !above(end, copy.removed);
  };
  Copy* closest = nullptr;
  const auto found = [&]() -> Copy* {
    // The copy that was the latest when the decision was taken is nearly always the one.
    for (const int memory : memories) {
      const auto [first, last] = copies_in(tensor, memory);
      Copy* after = std::upper_bound(
          first, last, decided, [](int decision, const Copy& copy) { return decision < copy.decided; });
      if (after == first) continue;
      if (serves(after[-1])) return after - 1;
      if (!closest || after[-1].removed > closest->removed) closest = after - 1;
    }
    for (const int memory : memories) {
      const auto [first, last] = copies_in(tensor, memory);
      for (Copy* copy = first; copy != last; ++copy) {
        if (serves(*copy)) return copy;
        if (!closest) closest = copy;
      }
    }
    return nullptr;
  }();
  nearest = closest;
  // A copy that is dropped too early takes its space nevertheless.
  Copy* used = found ? found : closest && !above(closest->ready, start) ? closest : nullptr;
  if (used && end < never) used->used_until = std::max(used->used_until, end);
  return found;
}

std::string Facts::node_name(int node) const {
  const ComputationNode& entry = graph.nodes[node];
  const Layer& layer = *graph.layers[entry.layer].layer;
  return fmt::format("node ({}, {}) of layer '{}'", layer.id, entry.sub_id, layer.name);
}

std::string Facts::tensor_name(int tensor) const {
  const PieceTensor& entry = graph.tensors[tensor];
  const Layer& layer = *graph.layers[entry.layer].layer;
  return fmt::format("tensor {} of node ({}, {})", layer.operands[entry.operand].name, layer.id,
                     graph.nodes[entry.first_node].sub_id);
}

std::string Facts::memory_name(int memory) const {
  const TopMemory& entry = accelerator.top_memories[memory];
  return fmt::format("memory '{}' of core {}", entry.name, fmt::join(entry.cores, ", "));
}

std::string Facts::core_name(int core) const {
  return core == offchip ? fmt::format("core {} (off-chip)", core) : fmt::format("core {}", core);
}

std::string Facts::link_name(int link) const {
  const Link& entry = accelerator.links[link];
  const auto side = [&](int core) { return core < 0 ? std::string("several cores") : core_name(core); };
  return fmt::format("link {} ({} to {})", link, side(entry.sender), side(entry.receiver));
}

}  // namespace zz::core::check
