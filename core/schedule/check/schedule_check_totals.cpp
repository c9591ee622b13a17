#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/schedule/check/schedule_check_facts.hpp"

namespace zz::core::check {
namespace {

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

double access_energy(const Facts& facts, int sender_memory, const Transfer& transfer) {
  const TopMemory& from = facts.accelerator.top_memories[sender_memory];
  const TopMemory& to = facts.accelerator.top_memories[transfer.receiver_memory];
  const double bits = static_cast<double>(facts.graph.tensors[transfer.tensor].bits);
  return from.read_cost * std::ceil(bits / static_cast<double>(from.read_bandwidth)) +
         to.write_cost * std::ceil(bits / static_cast<double>(to.write_bandwidth));
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
    return !differ(access_energy(facts, memory, transfer), transfer.memory_energy);
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
    term(EnergyTerm::node_onchip) += facts.cost_of[entry.node]->onchip_energy;
    term(EnergyTerm::node_offchip_memory) += facts.cost_of[entry.node]->offchip_energy;
  }
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

}  // namespace

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

}  // namespace zz::core::check
