#include "tests/unit/multicore/schedule/tiny_schedule.hpp"

#include <algorithm>

namespace zz::test {
namespace {

using core::EnergyTerm, core::RemovalCause;

core::TopMemory memory(const char* name, int core, std::int64_t size, double cost) {
  core::TopMemory memory;
  memory.name = name;
  memory.cores = {core};
  memory.operands = {"I1", "I2", "O"};
  memory.size = size;
  memory.read_bandwidth = memory.write_bandwidth = 10;
  memory.read_cost = memory.write_cost = cost;
  return memory;
}

core::CutLayer layer(std::int64_t id, std::vector<int> constants, int first_node) {
  core::Layer layer;
  layer.id = id;
  layer.name = id == 0 ? "first" : "second";
  layer.operands = {{"O", {}, 8, false, {}}, {"W", {}, 8, true, {}}, {"I", {}, 8, id == 0, {}}};
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  core::CutLayer cut_layer;
  cut_layer.layer = cut_layer.piece = std::make_shared<core::Layer>(layer);
  cut_layer.constants = std::move(constants);
  cut_layer.first_node = first_node;
  cut_layer.node_count = cut_layer.group_count = 1;
  return cut_layer;
}

core::PieceTensor tensor(int layer, int operand, std::int64_t bits) {
  core::PieceTensor tensor;
  tensor.layer = layer;
  tensor.operand = operand;
  tensor.first_node = layer;
  tensor.bits = bits;
  return tensor;
}

core::ComputationNode node(int layer, std::array<int, core::most_operands> tensors) {
  core::ComputationNode node;
  node.layer = layer;
  node.final_output = true;
  node.tensors = tensors;
  return node;
}

core::CoreCost cost(int core, double runtime, double energy) {
  core::CoreCost cost;
  cost.core = core;
  cost.runtime = runtime;
  cost.onchip_energy = energy;
  return cost;
}

}  // namespace

TinySchedule::TinySchedule()
    : accelerator(std::make_shared<core::MultiCoreAccelerator>()),
      graph(std::make_shared<core::ComputationNodeGraph>()),
      costs(std::make_shared<core::CoreCosts>()) {
  accelerator->cores.resize(3, std::make_shared<core::Accelerator>());
  accelerator->offchip_core = 2;
  accelerator->top_memories = {memory("sram", 0, 200, 1), memory("sram", 1, 200, 1),
                               memory("dram", 2, 100000, 100)};
  accelerator->cores_tops = {{sram0}, {sram1}, {dram}};
  accelerator->links = {{0, 1, 10, 1, false}, {2, -1, 10, 2, true}};
  accelerator->connections = {{0, 1, 0}, {0, 2, 1}, {1, 2, 1}, {2, 0, 1}, {2, 1, 1}};
  accelerator->routes.resize(9);
  for (const core::Connection& connection : accelerator->connections) {
    accelerator->routes[connection.from * 3 + connection.to] = {connection.link};
  }

  graph->layers = {layer(0, {1, 2}, 0), layer(1, {1}, 1)};
  graph->nodes = {node(0, {o0, w0, i0}), node(1, {o1, w1, -1})};
  graph->tensors = {tensor(0, 0, 100), tensor(0, 1, 50), tensor(0, 2, 40), tensor(1, 0, 60),
                    tensor(1, 1, 30)};
  graph->dependencies = {{0, 1, 2, 100}};
  graph->node_order = graph->topological_order = {0, 1};
  graph->predecessor_begin = {0, 0, 1};
  graph->predecessors = graph->successors = {0};
  graph->successor_begin = {0, 1, 1};

  costs->layers = {{{cost(0, 20, 7), cost(1, 20, 7)}}, {{cost(0, 30, 11), cost(1, 30, 11)}}};

  schedule.accelerator = accelerator;
  schedule.graph = graph;
  schedule.costs = costs;
  schedule.nodes = {{0, 0, 9, 29}, {1, 1, 39, 69}};
  send(w0, 2, 0, {1}, 0, 5, 0, EnergyTerm::node_offchip_memory);
  send(i0, 2, 0, {1}, 5, 9, 0, EnergyTerm::node_offchip_memory);
  send(w1, 2, 1, {1}, 9, 12, 1, EnergyTerm::node_offchip_memory);
  send(o0, 0, 1, {0}, 29, 39, 1, EnergyTerm::core_to_core_memory);
  send(o1, 1, 2, {1}, 69, 75, 2, EnergyTerm::final_output_memory);
  remove(RemovalCause::unused, w0, 0, 29, 1);
  remove(RemovalCause::unused, i0, 0, 29, 1);
  remove(RemovalCause::moved, o0, 0, 39, 1);
  remove(RemovalCause::unused, o0, 1, 69, 2);
  remove(RemovalCause::unused, w1, 1, 69, 2);
  core::Removal& result = remove(RemovalCause::final_output, o1, 1, 75, 2);
  result.written_back = true;
  result.write_back_end = 75;
  core::MemoryTrace trace;
  trace.memory = sram1;
  trace.bits = {{0, 0}, {9, 30}, {29, 130}, {39, 190}, {69, 60}, {75, 0}};
  trace.peak = 190;
  schedule.memory = {trace};
  add_up();
}

core::Transfer& TinySchedule::send(int tensor, int sender, int receiver, std::vector<int> links,
                                   double start, double end, int nodes_before, EnergyTerm purpose) {
  core::Transfer transfer;
  transfer.tensor = tensor;
  transfer.sender = sender;
  transfer.receiver = transfer.receiver_memory = receiver;
  transfer.receiver_operand = "O";
  transfer.start = start;
  transfer.end = end;
  transfer.own.assign(links.size(), 1);
  transfer.links = std::move(links);
  transfer.nodes_before = nodes_before;
  transfer.purpose = purpose;
  schedule.transfers.push_back(std::move(transfer));
  return schedule.transfers.back();
}

core::Removal& TinySchedule::remove(RemovalCause cause, int tensor, int core, double time,
                                    int nodes_before) {
  core::Removal removal;
  removal.cause = cause;
  removal.tensor = tensor;
  removal.core = removal.memory = core;
  removal.operand = "O";
  removal.time = time;
  removal.nodes_before = nodes_before;
  schedule.removals.push_back(std::move(removal));
  return schedule.removals.back();
}

void TinySchedule::add_up() {
  schedule.energy_terms = {};
  schedule.latency = 0;
  for (const core::ScheduledNode& entry : schedule.nodes) {
    schedule.energy_terms[static_cast<int>(EnergyTerm::node_onchip)] += entry.node == 0 ? 7 : 11;
    schedule.latency = std::max(schedule.latency, entry.end);
  }
  for (core::Transfer& transfer : schedule.transfers) {
    const double words = static_cast<double>(graph->tensors[transfer.tensor].bits) / 10;
    transfer.link_energy = 0;
    for (const int link : transfer.links) {
      transfer.link_energy += (transfer.end - transfer.start) * (link == 0 ? 1 : 2);
    }
    transfer.memory_energy =
        words * (transfer.sender == 2 ? 100 : 1) + words * (transfer.receiver == 2 ? 100 : 1);
    schedule.energy_terms[static_cast<int>(transfer.purpose)] += transfer.memory_energy;
    schedule.energy_terms[static_cast<int>(transfer.purpose) - 1] += transfer.link_energy;
    schedule.latency = std::max(schedule.latency, transfer.end);
  }
  schedule.energy = 0;
  for (const double term : schedule.energy_terms) schedule.energy += term;
}

}  // namespace zz::test
