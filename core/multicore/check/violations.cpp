#include "core/multicore/check/violations.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "core/base/interruption.hpp"
#include "core/multicore/check/detail/dependency_rules.hpp"
#include "core/multicore/check/detail/exchange_rules.hpp"
#include "core/multicore/check/detail/facts.hpp"
#include "core/multicore/check/detail/findings.hpp"
#include "core/multicore/check/detail/layer_rules.hpp"
#include "core/multicore/check/detail/node_boxes.hpp"
#include "core/multicore/check/detail/sample_rules.hpp"
#include "core/multicore/check/detail/schedule_rules.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core::check {
namespace {

constexpr double most_repeats = 10'000;  // under way at once: each of them is looked at

bool within(int index, std::size_t count) { return index >= 0 && static_cast<std::size_t>(index) < count; }

template <typename Indices>
bool all_within(const Indices& indices, std::size_t count) {
  return std::all_of(indices.begin(), indices.end(), [&](int index) { return within(index, count); });
}

void check_placements(const Schedule& schedule, Findings& findings) {
  const ComputationNodeGraph& graph = *schedule.graph;
  std::vector<int> times_scheduled(graph.nodes.size(), 0);
  std::map<std::pair<int, int>, int> core_of_group;
  for (std::size_t position = 0; position < schedule.nodes.size(); ++position) {
    const ScheduledNode& entry = schedule.nodes[position];
    if (!within(entry.node, graph.nodes.size()) ||
        !within(entry.core, schedule.accelerator->cores.size())) {
      findings.add("entry", fmt::format("placement {} names node {} and core {}, which do not both exist",
                                        position, entry.node, entry.core));
      continue;
    }
    const ComputationNode& node = graph.nodes[entry.node];
    const std::string name = fmt::format("node ({}, {})", graph.layer_id(entry.node), node.sub_id);
    if (++times_scheduled[entry.node] > 1) findings.add("node missing", name + " is placed more than once");
    if (schedule.costs->find(node, entry.core) == nullptr) {
      findings.add("entry",
                   fmt::format("{} is placed on core {}, for which it has no cost", name, entry.core));
    }
    const auto [group, first] = core_of_group.try_emplace({node.layer, node.group}, entry.core);
    if (!first && group->second != entry.core) {
      findings.add("group", fmt::format("{} runs on core {}, other nodes of its group {} on core {}", name,
                                        entry.core, node.group, group->second));
    }
  }
  for (std::size_t node = 0; node < times_scheduled.size(); ++node) {
    if (times_scheduled[node] > 0) continue;
    findings.add("node missing",
                 fmt::format("node ({}, {}) is not placed", graph.layer_id(static_cast<int>(node)),
                             graph.nodes[node].sub_id));
  }
}

void check_cores(const Facts& facts, Findings& findings) {
  std::vector<ScheduledNode> by_core;
  for (int repeat = 0; repeat < facts.repeats; ++repeat) {
    for (ScheduledNode entry : facts.schedule.nodes) {
      entry.start += facts.begin_of(repeat);
      entry.end += facts.begin_of(repeat);
      by_core.push_back(entry);
    }
  }
  std::stable_sort(by_core.begin(), by_core.end(), [](const ScheduledNode& a, const ScheduledNode& b) {
    return std::tie(a.core, a.start, a.end) < std::tie(b.core, b.start, b.end);
  });
  const ScheduledNode* latest = nullptr;
  for (const ScheduledNode& entry : by_core) {
    if (latest && latest->core == entry.core && above(latest->end, entry.start)) {
      findings.add("core overlap",
                   fmt::format("{} starts on {} at cycle {}, where {} runs until {}{}",
                               facts.node_name(entry.node), facts.core_name(entry.core), entry.start,
                               facts.node_name(latest->node), latest->end, facts.of_repeats()));
    }
    if (!latest || latest->core != entry.core || entry.end > latest->end) latest = &entry;
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

bool differ(double a, double b) {
  return std::abs(a - b) > 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

/// The outputs of layers that no other layer reads are results.
void check_outputs(Facts& facts, Findings& findings) {
  if (facts.offchip < 0) return;
  const ComputationNodeGraph& graph = facts.graph;
  std::vector<char> read(graph.layers.size(), 0);
  for (const Dependency& dependency : graph.dependencies) {
    const int from = graph.nodes[dependency.from].layer;
    if (from != graph.nodes[dependency.to].layer) read[from] = 1;
  }
  const std::vector<int> memories = facts.memories_of(facts.offchip);
  for (const ScheduledNode& entry : facts.schedule.nodes) {
    const ComputationNode& node = graph.nodes[entry.node];
    const int output = node.tensors[0];
    if (read[node.layer] || !node.final_output || output < 0 || graph.tensors[output].bits == 0) continue;
    const Copy* nearest = nullptr;
    const double end = facts.schedule.latency;
    if (facts.use_copy(output, memories, end, never, static_cast<int>(facts.schedule.nodes.size()),
                       nearest)) {
      continue;
    }
    findings.add("output missing", fmt::format("{} is a result that does not stay in the off-chip memory",
                                               facts.tensor_name(output)));
  }
}

double read_energy(const Facts& facts, int sender_memory, const Transfer& transfer) {
  const TopMemory& from = facts.accelerator.top_memories[sender_memory];
  const double bits = static_cast<double>(facts.graph.tensors[transfer.tensor].bits);
  return from.read_cost * std::ceil(bits / static_cast<double>(from.read_bandwidth));
}

double access_energy(const Facts& facts, int sender_memory, const Transfer& transfer) {
  const TopMemory& to = facts.accelerator.top_memories[transfer.receiver_memory];
  const double bits = static_cast<double>(facts.graph.tensors[transfer.tensor].bits);
  return read_energy(facts, sender_memory, transfer) +
         to.write_cost * std::ceil(bits / static_cast<double>(to.write_bandwidth));
}

/// The sender's memory is read once for all nodes in lockstep.
bool may_be_read_by_another(const Facts& facts, const Transfer& transfer) {
  if (transfer.nodes_before >= static_cast<int>(facts.schedule.nodes.size())) return false;
  const int node = facts.schedule.nodes[transfer.nodes_before].node;
  const std::vector<NodeLoop>& loops = facts.graph.layers[facts.graph.nodes[node].layer].outer_loops;
  return std::any_of(loops.begin(), loops.end(), [](const NodeLoop& loop) { return loop.lockstep; }) &&
         std::any_of(facts.schedule.transfers.begin(), facts.schedule.transfers.end(),
                     [&](const Transfer& other) {
                       return &other != &transfer && other.tensor == transfer.tensor &&
                              other.sender == transfer.sender && other.start == transfer.start &&
                              other.end == transfer.end;
                     });
}

void check_transfer_energy(const Facts& facts, const Transfer& transfer, Findings& findings) {
  double link_energy = 0;
  for (const int link : transfer.links) {
    link_energy += (transfer.end - transfer.start) * facts.accelerator.links[link].unit_energy;
  }
  const std::string what =
      fmt::format("the transfer of {} from {} to {} at cycle {}", facts.tensor_name(transfer.tensor),
                  facts.core_name(transfer.sender), facts.core_name(transfer.receiver), transfer.start);
  if (differ(link_energy, transfer.link_energy)) {
    findings.add("energy", fmt::format("{} takes {} pJ of its links, stated are {}", what, link_energy,
                                       transfer.link_energy));
  }
  const std::vector<int> tops = facts.memories_of(transfer.sender);
  const auto fits = [&](int memory) {
    const double with_read = access_energy(facts, memory, transfer);
    if (!differ(with_read, transfer.memory_energy)) return true;
    return !differ(with_read - read_energy(facts, memory, transfer), transfer.memory_energy) &&
           may_be_read_by_another(facts, transfer);
  };
  if (!tops.empty() && std::none_of(tops.begin(), tops.end(), fits)) {
    findings.add("energy",
                 fmt::format("{} takes {} pJ of the memories, stated are {}", what,
                             access_energy(facts, tops.front(), transfer), transfer.memory_energy));
  }
}

void check_energies(const Facts& facts, Findings& findings) {
  std::array<double, energy_term_count> terms{};
  const auto term = [&](EnergyTerm name) -> double& { return terms[static_cast<int>(name)]; };
  for (const ScheduledNode& entry : facts.schedule.nodes) {
    const CoreCost* spent = facts.spent_by[entry.node];
    if (spent == nullptr) continue;  // an exchange without a cost is found by itself
    term(EnergyTerm::node_onchip) += spent->onchip_energy;
    term(EnergyTerm::node_offchip_memory) += spent->offchip_energy;
  }
  for (const Transfer& transfer : facts.schedule.fill) check_transfer_energy(facts, transfer, findings);
  for (const Transfer& transfer : facts.schedule.transfers) {
    check_transfer_energy(facts, transfer, findings);
    const int memory_term = static_cast<int>(transfer.purpose);
    if (memory_term < 2 || memory_term >= energy_term_count || memory_term % 2 != 0) {
      findings.add("energy", fmt::format("a transfer of {} counts towards '{}', which is no memory's term",
                                         facts.tensor_name(transfer.tensor), memory_term));
      continue;
    }
    terms[memory_term] += transfer.memory_energy;
    terms[memory_term - 1] += transfer.link_energy;
  }
  double sum = 0;
  for (int i = 0; i < energy_term_count; ++i) {
    sum += facts.schedule.energy_terms[i];
    if (!differ(terms[i], facts.schedule.energy_terms[i])) continue;
    findings.add("energy", fmt::format("{} is {} pJ by the lists, stated are {}", energy_term_names[i],
                                       terms[i], facts.schedule.energy_terms[i]));
  }
  if (differ(sum, facts.schedule.energy)) {
    findings.add("energy",
                 fmt::format("the terms add up to {} pJ, stated are {}", sum, facts.schedule.energy));
  }
}

/// Indices exist, each node is scheduled once on a core that has a cost, groups stay together.
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
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (schedule.costs->layers[layer].smaller.size() >= graph.layers[layer].smaller_pieces.size()) continue;
    findings.add("entry", fmt::format("layer {} lacks the costs of its smaller nodes",
                                      graph.layers[layer].layer->id));
    return;
  }
  check_placements(schedule, findings);
  const std::size_t cores = accelerator.cores.size(), memories = accelerator.top_memories.size();
  if (!std::isfinite(schedule.period) || schedule.period < 0 ||
      schedule.period != std::floor(schedule.period))
    findings.add("entry",
                 fmt::format("a period of {} cycles, which is no whole number from 0 on", schedule.period));
  else if (schedule.period > 0 && schedule.latency > most_repeats * schedule.period)
    findings.add("entry",
                 fmt::format("with a period of {} cycles and a latency of {}, more than {} repeats "
                             "are under way at once",
                             schedule.period, schedule.latency, most_repeats));
  else if (schedule.period == 0 && !schedule.fill.empty())
    findings.add("entry",
                 fmt::format("{} transfers before the first repeat of a schedule that is made once",
                             schedule.fill.size()));
  for (const auto* list : {&schedule.transfers, &schedule.fill}) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Transfer& entry = (*list)[i];
      if (within(entry.tensor, graph.tensors.size()) && within(entry.sender, cores) &&
          within(entry.receiver, cores) && within(entry.receiver_memory, memories) &&
          all_within(entry.links, accelerator.links.size()) && entry.own.size() == entry.links.size()) {
        continue;
      }
      findings.add("entry",
                   fmt::format("transfer {}{} names a tensor, core, memory or link that does not exist", i,
                               list == &schedule.fill ? " before the first repeat" : ""));
    }
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
  for (std::size_t i = 0; i < schedule.exchanges.size(); ++i) {
    const Exchange& entry = schedule.exchanges[i];
    if (within(entry.tensor, graph.tensors.size()) && within(entry.from, graph.nodes.size()) &&
        within(entry.to, graph.nodes.size()) && within(entry.core, cores) &&
        within(entry.memory, accelerator.cores[entry.core]->memories.size()) &&
        within(entry.operand, graph.layers[graph.nodes[entry.to].layer].layer->operands.size())) {
      continue;
    }
    findings.add("entry",
                 fmt::format("exchange {} names a tensor, node, core or memory that does not exist", i));
  }
}

/// A core runs one node at a time, after all its predecessors, from when its inputs are there to its end.
void check_nodes(Facts& facts, Findings& findings) {
  check_cores(facts, findings);
  for (std::size_t position = 0; position < facts.schedule.nodes.size(); ++position) {
    end_if_interrupted();
    const ScheduledNode& entry = facts.schedule.nodes[position];
    check_duration(facts, entry, findings);
    check_order(facts, entry, findings);
    check_inputs(facts, entry, 2 * static_cast<int>(position), findings);
  }
}

/// Final outputs reach the off-chip memory; energies and latency are those of the lists.
void check_totals(Facts& facts, Findings& findings) {
  check_outputs(facts, findings);
  check_energies(facts, findings);
  double latency = 0;
  for (const ScheduledNode& entry : facts.schedule.nodes) latency = std::max(latency, entry.end);
  for (const Transfer& transfer : facts.schedule.transfers) latency = std::max(latency, transfer.end);
  if (differ(latency, facts.schedule.latency)) {
    findings.add("latency", fmt::format("the last node or transfer ends at cycle {}, stated is {}", latency,
                                        facts.schedule.latency));
  }
}

/// True if pieces of a cut layer can be those of a layer of the network.
bool same_loops(const Layer& real, const CutLayer& cut_layer) {
  if (!cut_layer.layer || !cut_layer.piece || cut_layer.layer->id != real.id) return false;
  if (cut_layer.layer->loops.size() != real.loops.size() ||
      cut_layer.piece->loops.size() != real.loops.size())
    return false;
  for (std::size_t loop = 0; loop < real.loops.size(); ++loop) {
    std::int64_t pieces = 1;
    for (const NodeLoop& outer : cut_layer.outer_loops)
      if (outer.loop == static_cast<int>(loop)) pieces *= outer.count;
    const std::int64_t size = real.loops[loop].size, piece = cut_layer.piece->loops[loop].size;
    const bool same = cut_layer.piece->loops[loop].name == real.loops[loop].name &&
                      cut_layer.layer->loops[loop].size == size && piece * pieces >= size &&
                      piece * (pieces - 1) < size;
    if (!same) return false;
  }
  Layer named = real;  // as pieces of it have their blocks
  name_block_loops(named);
  return cut_layer.layer->operands == named.operands && cut_layer.layer->relations == real.relations;
}

bool check_layers(const Workload& workload, const ComputationNodeGraph& graph, Findings& findings) {
  if (graph.samples < 1) {
    findings.add("layers", fmt::format("there are {} samples", graph.samples));
    return false;
  }
  for (const auto& layer : workload.layers)
    if (graph.layer_index(layer->id) < 0)
      findings.add("layers", fmt::format("layer {} '{}' has no nodes", layer->id, layer->name));
  int nodes = 0;
  for (const CutLayer& cut_layer : graph.layers) {
    const Layer* real = cut_layer.layer ? workload.layer(cut_layer.layer->id) : nullptr;
    if (real == nullptr || !same_loops(*real, cut_layer))
      findings.add("layers", fmt::format("the nodes of layer {} are not pieces of it",
                                         cut_layer.layer ? cut_layer.layer->id : -1));
    if (cut_layer.samples < 1 || graph.samples % cut_layer.samples != 0 ||
        cut_layer.node_count % (graph.samples / cut_layer.samples) != 0)
      findings.add("layers", fmt::format("{} nodes of a layer are not as many in each of {} samples",
                                         cut_layer.node_count, graph.samples));
    if (cut_layer.first_node != nodes)
      findings.add("layers", "the nodes of the layers do not follow each other");
    nodes += cut_layer.node_count;
  }
  if (static_cast<std::size_t>(nodes) != graph.nodes.size())
    findings.add("layers", "the layers have another number of nodes in all");
  if (!findings.empty()) return false;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    for (int sub_id = 0; sub_id < graph.layers[layer].node_count; ++sub_id) {
      const ComputationNode& node = graph.nodes[graph.layers[layer].first_node + sub_id];
      if (node.layer != static_cast<int>(layer) || node.sub_id != sub_id)
        findings.add("layers", fmt::format("node {} of layer {} says that it is another one", sub_id,
                                           graph.layers[layer].layer->id));
    }
  }
  return findings.empty();
}

}  // namespace
}  // namespace zz::core::check

namespace zz::core {

std::vector<Violation> find_violations(const Schedule& schedule, std::size_t most) {
  check::Findings findings(most);
  check::check_entries(schedule, findings);
  if (!findings.empty()) return findings.take();
  check::Facts facts(schedule);
  check::check_nodes(facts, findings);
  check::check_transfers(facts, findings);
  check::check_fill(facts, findings);
  check::check_links(facts, findings);
  check::check_memories(facts, findings);
  check::check_exchanges(facts, findings);
  check::check_totals(facts, findings);
  return findings.take();
}

std::vector<Violation> find_partition_violations(const Workload& workload,
                                                 const ComputationNodeGraph& graph, std::size_t most) {
  check::Findings findings(most);
  if (!check::check_layers(workload, graph, findings)) return findings.take();
  if (graph.samples > 1) {
    check::check_samples(graph, findings);
    if (findings.empty()) check::check_order(graph, findings);
    if (!findings.empty()) return findings.take();
    return find_partition_violations(workload, check::part_of_sample(graph, 0), most);
  }
  std::vector<check::NodeBoxes> boxes;
  boxes.reserve(graph.layers.size());
  for (const CutLayer& cut_layer : graph.layers)
    boxes.emplace_back(*workload.layer(cut_layer.layer->id), cut_layer);
  for (const check::NodeBoxes& of_layer : boxes) check::check_coverage(of_layer, findings);
  if (!findings.empty()) return findings.take();  // the rest would follow from it
  for (const check::NodeBoxes& of_layer : boxes) {
    check::check_shapes(graph, of_layer, findings);
    check::check_tensors(graph, of_layer, findings);
    check::check_groups(graph, of_layer, findings);
  }
  check::check_order(graph, findings);
  check::check_dependencies(workload, graph, boxes, findings);
  return findings.take();
}

}  // namespace zz::core
