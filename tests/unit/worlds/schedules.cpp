#include "tests/unit/worlds/schedules.hpp"

#include <algorithm>
#include <limits>

#include "core/hardware/interconnect.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/texts.hpp"

namespace zz::test {

using namespace core;

ProblemSketch::ProblemSketch(int cores, std::int64_t memory_bits, double link_energy) {
  accelerator->name = "row";
  accelerator->cores.assign(cores + 1, std::make_shared<Accelerator>());
  accelerator->offchip_core = cores;
  for (int core = 0; core < cores; ++core) {
    const int first = 2 * core;
    accelerator->cores_tops.push_back({first, first + 1});
    accelerator->top_memories.push_back({"A", {core}, {"I1", "O"}, memory_bits, 128, 128, 26.01, 23.65});
    accelerator->top_memories.push_back({"W", {core}, {"I2"}, memory_bits, 128, 128, 26.01, 23.65});
  }
  accelerator->cores_tops.push_back({2 * cores});
  accelerator->top_memories.push_back(
      {"dram", {cores}, {"I1", "I2", "O"}, 10'000'000'000, 64, 64, 1000, 1000});
  accelerator->routes.resize((cores + 1) * (cores + 1));
  const auto join = [&](int from, int to, int link) {
    accelerator->connections.push_back({from, to, link});
    accelerator->routes[from * (cores + 1) + to] = {link};
  };
  for (int core = 0; core + 1 < cores; ++core) {
    accelerator->links.push_back({core, core + 1, 64, link_energy, false});
    join(core, core + 1, 2 * core);
    accelerator->links.push_back({core + 1, core, 64, link_energy, false});
    join(core + 1, core, 2 * core + 1);
  }
  for (int from = 0; from < cores; ++from) {
    for (int to = 0; to < cores; ++to) {
      std::vector<int>& route = accelerator->routes[from * (cores + 1) + to];
      route.clear();
      for (int core = from; core < to; ++core) route.push_back(2 * core);
      for (int core = from; core > to; --core) route.push_back(2 * core - 1);
    }
  }
  accelerator->links.push_back({-1, -1, 64, link_energy, true});
  for (int core = 0; core < cores; ++core) {
    join(core, cores, 2 * (cores - 1));
    join(cores, core, 2 * (cores - 1));
  }
}

void ProblemSketch::layer(std::vector<int> constants) {
  Layer layer;
  layer.id = static_cast<std::int64_t>(graph->layers.size());
  layer.name = "layer" + std::to_string(layer.id);
  layer.operands = {{"O", {}, 8, false, {}}, {"W", {}, 8, false, {}}, {"I", {}, 8, false, {}}};
  for (const int constant : constants) layer.operands[constant].constant = true;
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  CutLayer cut_layer;
  cut_layer.layer = cut_layer.piece = std::make_shared<Layer>(layer);
  cut_layer.constants = std::move(constants);
  cut_layer.first_node = static_cast<int>(graph->nodes.size());
  graph->layers.push_back(cut_layer);
  costs->layers.emplace_back();
}

int ProblemSketch::tensor(int operand, std::int64_t bits, std::int64_t priority) {
  graph->tensors.push_back({static_cast<int>(graph->layers.size()) - 1, operand,
                            static_cast<int>(graph->nodes.size()), bits, priority});
  return static_cast<int>(graph->tensors.size()) - 1;
}

int ProblemSketch::node(std::array<int, 3> tensors, int group, bool final_output) {
  CutLayer& cut_layer = graph->layers.back();
  const int index = static_cast<int>(graph->nodes.size());
  graph->nodes.push_back({static_cast<int>(graph->layers.size()) - 1, cut_layer.node_count++, group, 0,
                          final_output, graph->tensors[tensors[0]].bits, tensors});
  cut_layer.group_count = std::max(cut_layer.group_count, group + 1);
  graph->node_order.push_back(index);
  return index;
}

CoreCost& ProblemSketch::cost(int core, double runtime, double onchip, double offchip) {
  CoreCost cost;
  cost.core = core;
  cost.runtime = runtime;
  cost.onchip_energy = onchip;
  cost.offchip_energy = offchip;
  costs->layers.back().on.push_back(cost);
  return costs->layers.back().on.back();
}

std::shared_ptr<const ScheduleProblem> ProblemSketch::problem(bool as_stream) {
  graph->index();
  ScheduleOptions chosen = options;
  chosen.rules = as_stream ? core::rules_of("stream-0.0.8") : core::Rules{};
  return std::make_shared<ScheduleProblem>(accelerator, graph, costs, chosen);
}

Schedule ProblemSketch::schedule(bool as_stream) {
  return Scheduler(problem(as_stream)).schedule(ScheduleChoice{});
}

ProblemSketch sum_on_simd_core() {
  constexpr int o = ProblemSketch::o, w = ProblemSketch::w, i = ProblemSketch::i;
  ProblemSketch sketch(2, 1024);
  MultiCoreAccelerator mesh;
  mesh.name = "mesh";
  mesh.cores.assign(3, core_of(core_text("core")));
  mesh.cores.push_back(core_of(dram_text(one_port)));
  mesh.simd_core = 2;
  mesh.offchip_core = 3;
  join_mesh(mesh, 1, 2, {32, 0});
  mesh.derive();
  *sketch.accelerator = mesh;
  sketch.graph->name = "sum";
  for (const int core : {0, 1}) {
    sketch.layer({w, i});
    sketch.cost(core, 10);
    sketch.node({sketch.tensor(o, 160, 1), sketch.tensor(w, 0, 1), sketch.tensor(i, 0, 1)}, 0, false);
  }
  sketch.layer({});
  sketch.cost(2, 5);
  sketch.node({sketch.tensor(o, 64, 0), -1, -1});
  sketch.edge(0, 2, w, 160);
  sketch.edge(1, 2, i, 160);
  return sketch;
}

ProblemSketch random_problem(RandomNumbers& random) {
  const int cores = 2 + random.below(2), layers = 2 + random.below(3);
  ProblemSketch sketch(cores, 3000 + 1000 * random.below(20));
  for (Link& link : sketch.accelerator->links)
    link.bandwidth = std::vector<double>{8, 32, 64, 256}[random.below(4)];
  std::vector<std::vector<int>> nodes_of;
  for (int layer = 0; layer < layers; ++layer) {
    const bool weights = random.below(4) > 0;
    sketch.layer(weights ? std::vector<int>{ProblemSketch::w} : std::vector<int>{});
    const int pieces = 1 + random.below(3);
    const bool shared = random.below(2) == 0;
    const bool apart = random.below(2) == 0;  // nodes of several groups read the same weights
    const int bits = 64 * (1 + random.below(20));
    const int of_all = weights && shared ? sketch.tensor(ProblemSketch::w, bits, pieces) : -1;
    std::vector<int>& own = nodes_of.emplace_back();
    for (int piece = 0; piece < pieces; ++piece) {
      const int output = sketch.tensor(ProblemSketch::o, 64 * (1 + random.below(6)), 0);
      const int reads = !weights ? -1 : shared ? of_all : sketch.tensor(ProblemSketch::w, bits, 1);
      own.push_back(sketch.node({output, reads, -1}, shared && weights && !apart ? 0 : piece));
    }
    if (layer > 0) {
      const int from = random.below(3) > 0 ? layer - 1 : random.below(layer);
      const bool whole = random.below(2) == 0;
      for (std::size_t piece = 0; piece < own.size(); ++piece)
        for (std::size_t read = 0; read < nodes_of[from].size(); ++read)
          if (whole || read <= piece) sketch.edge(nodes_of[from][read], own[piece], ProblemSketch::i, 64);
    }
    bool any = false;
    for (int core = 0; core < cores; ++core) {
      if (random.below(4) == 0 && (any || core + 1 < cores)) continue;
      CoreCost& cost = sketch.cost(core, 1 + random.below(60));
      if (weights && random.below(6) == 0) {
        cost.streamed = {ProblemSketch::w};
        cost.stream_read_bits = bits;
      }
      any = true;
    }
  }
  return sketch;
}

void for_each_choice(const ScheduleProblem& problem,
                     const std::function<void(const ScheduleChoice&)>& take) {
  const std::vector<Gene>& genes = problem.genes();
  std::vector<std::size_t> at(genes.size(), 0);
  for (;;) {
    ScheduleChoice choice;
    for (std::size_t gene = 0; gene < genes.size(); ++gene)
      choice.cores.push_back(genes[gene].cores[at[gene]]);
    for (int dispatch = 0; dispatch < 3; ++dispatch) {
      for (const bool back_filling : {false, true}) {
        choice.dispatch = static_cast<DispatchRule>(dispatch);
        choice.back_filling = back_filling;
        take(choice);
      }
    }
    std::size_t gene = 0;
    while (gene < genes.size() && ++at[gene] == genes[gene].cores.size()) at[gene++] = 0;
    if (gene == genes.size()) return;
  }
}

std::vector<std::pair<double, double>> times_of(const Schedule& schedule) {
  std::vector<std::pair<double, double>> times(schedule.nodes.size());
  for (const ScheduledNode& entry : schedule.nodes) times[entry.node] = {entry.start, entry.end};
  return times;
}

namespace {

using core::EnergyTerm, core::RemovalCause;

core::TopMemory top_memory(const char* name, int core, std::int64_t size, double cost) {
  core::TopMemory memory;
  memory.name = name;
  memory.cores = {core};
  memory.operands = {"I1", "I2", "O"};
  memory.size = size;
  memory.read_bandwidth = memory.write_bandwidth = 10;
  memory.read_cost = memory.write_cost = cost;
  return memory;
}

core::CutLayer tiny_layer(std::int64_t id, std::vector<int> constants, int first_node) {
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

core::PieceTensor tiny_tensor(int layer, int operand, std::int64_t bits) {
  core::PieceTensor tensor;
  tensor.layer = layer;
  tensor.operand = operand;
  tensor.first_node = layer;
  tensor.bits = bits;
  return tensor;
}

core::ComputationNode tiny_node(int layer, std::array<int, core::most_operands> tensors) {
  core::ComputationNode node;
  node.layer = layer;
  node.final_output = true;
  node.tensors = tensors;
  return node;
}

core::CoreCost tiny_cost(int core, double runtime, double energy) {
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
  accelerator->top_memories = {top_memory("sram", 0, 200, 1), top_memory("sram", 1, 200, 1),
                               top_memory("dram", 2, 100000, 100)};
  accelerator->cores_tops = {{sram0}, {sram1}, {dram}};
  accelerator->links = {{0, 1, 10, 1, false}, {2, -1, 10, 2, true}};
  accelerator->connections = {{0, 1, 0}, {0, 2, 1}, {1, 2, 1}, {2, 0, 1}, {2, 1, 1}};
  accelerator->routes.resize(9);
  for (const core::Connection& connection : accelerator->connections) {
    accelerator->routes[connection.from * 3 + connection.to] = {connection.link};
  }

  graph->layers = {tiny_layer(0, {1, 2}, 0), tiny_layer(1, {1}, 1)};
  graph->nodes = {tiny_node(0, {o0, w0, i0}), tiny_node(1, {o1, w1, -1})};
  graph->tensors = {tiny_tensor(0, 0, 100), tiny_tensor(0, 1, 50), tiny_tensor(0, 2, 40),
                    tiny_tensor(1, 0, 60), tiny_tensor(1, 1, 30)};
  graph->dependencies = {{0, 1, 2, 100}};
  graph->node_order = graph->topological_order = {0, 1};
  graph->predecessor_begin = {0, 0, 1};
  graph->predecessors = graph->successors = {0};
  graph->successor_begin = {0, 1, 1};

  costs->layers = {{{tiny_cost(0, 20, 7), tiny_cost(1, 20, 7)}, {}},
                   {{tiny_cost(0, 30, 11), tiny_cost(1, 30, 11)}, {}}};

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

namespace {

core::Memory all_in(const std::string& name, std::int64_t size) {
  core::Memory memory = one_port_memory(name, size, {"I1", "I2", "O"}, {"D1"}, 64, 64);
  memory.read_cost = 1.5;
  memory.write_cost = 2.5;
  return memory;
}

}  // namespace

std::shared_ptr<const core::MultiCoreAccelerator> small_multi_core() {
  auto made = std::make_shared<core::MultiCoreAccelerator>();
  made->name = "two cores";
  for (const std::int64_t units : {4, 12, 0}) {
    auto core = std::make_shared<core::Accelerator>();
    core->name = units > 0 ? "core" : "offchip";
    core->memories = {units > 0 ? all_in("sram", 4096) : all_in("dram", 1 << 20)};
    core->array.dimensions = {{"D1", units}};
    made->cores.push_back(core);
  }
  made->offchip_core = 2;
  made->links = {{0, 1, std::numeric_limits<double>::infinity(), 0, false},
                 {1, 0, 64, 0.5, false},
                 {-1, -1, 64, 0.5, true}};
  made->connections = {{0, 1, 0}, {1, 0, 1}, {0, 2, 2}, {2, 0, 2}, {1, 2, 2}, {2, 1, 2}};
  made->derive();
  return made;
}

std::shared_ptr<const core::ComputationNodeGraph> small_graph() {
  auto made = std::make_shared<core::ComputationNodeGraph>();
  made->name = "two layers";
  for (const int i : {0, 1}) {
    auto layer = std::make_shared<core::Layer>();
    layer->id = 5 * i;
    layer->name = i == 0 ? "first" : "second";
    layer->loops = {{"K", 16}, {"C", 16}};
    layer->operands = {
        {"O", {"K"}, 16, false, {}},
        {"W", {"K", "C"}, 8, true, {}},
        {"I", {"C"}, 8, i == 0, i == 0 ? std::vector<std::int64_t>() : std::vector<std::int64_t>{0}}};
    layer->mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
    core::CutLayer& cut_layer = made->layers.emplace_back();
    cut_layer.layer = cut_layer.piece = layer;
    cut_layer.constants = {1};
    cut_layer.first_node = i;
    cut_layer.node_count = cut_layer.group_count = 1;
    made->nodes.push_back({i, 0, 0, 0, true, 128, {3 * i, 3 * i + 1, i == 0 ? 2 : -1}});
  }
  made->tensors = {
      {0, 0, 0, 128, 1}, {0, 1, 0, 640, 1}, {0, 2, 0, 256, 1}, {1, 0, 1, 128, 0}, {1, 1, 1, 2048, 1}};
  made->dependencies = {{0, 1, 2, 128}};
  made->node_order = {0, 1};
  made->index();
  return made;
}

std::shared_ptr<const core::CoreCosts> small_costs() {
  auto made = std::make_shared<core::CoreCosts>();
  for (const int layer : {0, 1}) {
    std::vector<core::CoreCost>& on = made->layers.emplace_back().on;
    for (int core = 0; core <= layer; ++core) {
      auto evaluation = std::make_shared<core::Evaluation>();
      evaluation->mac_energy = 2;
      evaluation->ideal_temporal_cycle = layer == 0 ? 15 : 18;
      core::CoreCost& cost = on.emplace_back();
      cost.core = core;
      cost.runtime = layer == 0 ? 16 : 20;
      cost.onchip_energy = 3;
      cost.evaluation = evaluation;
    }
  }
  return made;
}

core::Schedule small_schedule() {
  core::Schedule made;
  made.accelerator = small_multi_core();
  made.graph = small_graph();
  made.costs = small_costs();
  made.latency = 54;
  made.energy = 10;
  made.energy_terms = {1, 2, 3, 0, 0, 0, 0, 0, 4};
  made.nodes = {{0, 0, 14, 30}, {1, 1, 30, 50}};
  using core::EnergyTerm;
  made.transfers = {{1, 2, 0, 0, "I2", 0, 10, 5, 1, {2}, {1}, 0, EnergyTerm::node_offchip_memory},
                    {2, 2, 0, 0, "I1", 10, 14, 2, 1, {2}, {1}, 0, EnergyTerm::node_offchip_memory},
                    {0, 0, 1, 1, "I1", 30, 30, 0, 1, {0}, {1}, 1, EnergyTerm::core_to_core_memory},
                    {3, 1, 2, 2, "O", 40, 44, 2, 1, {2}, {1}, 2, EnergyTerm::final_output_memory}};
  made.blocks = {{1, {1}, 1, 30, 50, 16, 0, 1}};
  made.removals = {{core::RemovalCause::final_output, 3, 1, 1, "O", 50, true, 54, 2}};
  made.memory = {{0, {{0, 0}, {10, 896}, {30, 0}}, 896, 0, 10}, {1, {{0, 0}}, 0, 0, 0}};
  made.genes = {{5, 0}};
  made.allocation = {1};
  made.latency_bound = 36;
  made.dispatch = "rank";
  return made;
}

namespace {

/// A memory whose writes cost twice as much as its reads.
core::Memory plain_memory(const std::string& name, std::int64_t size, std::vector<std::string> operands,
                          std::vector<std::string> served) {
  core::Memory memory = one_port_memory(name, size, std::move(operands), std::move(served));
  memory.write_cost = 2;
  return memory;
}

}  // namespace

core::Accelerator small_core(std::int64_t memory_bits) {
  core::Accelerator core =
      accelerator_with("small", {4, 4},
                       {plain_memory("register", 8, {"I2"}, {}),
                        plain_memory("sram", memory_bits, {"I1", "I2", "O"}, {"D1", "D2"})});
  core.dataflows.dimensions = {{"D1", {{"K", 4}}}, {"D2", {{"C", 4}}}};
  return core;
}

core::MultiCoreAccelerator two_small_cores(std::int64_t memory_bits) {
  core::Accelerator offchip =
      accelerator_with("offchip", {0}, {plain_memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"})});
  offchip.array.unit_energy = 0;
  core::MultiCoreAccelerator accelerator;
  accelerator.name = "two and memory";
  const auto core = std::make_shared<core::Accelerator>(small_core(memory_bits));
  accelerator.cores = {core, std::make_shared<core::Accelerator>(*core),
                       std::make_shared<core::Accelerator>(offchip)};
  accelerator.offchip_core = 2;
  return accelerator;
}

core::Layer product(std::int64_t id, std::int64_t rows) {
  core::Layer layer;
  layer.id = id;
  layer.name = "product" + std::to_string(id);
  layer.type = "matmul";
  layer.equation = "O[d][k] = W[k][c] * I[d][c]";
  layer.loops = {{"D", rows}, {"K", 8}, {"C", 16}};
  layer.operands = {
      {"O", {"D", "K"}, 16, false, {}}, {"W", {"K", "C"}, 8, true, {}}, {"I", {"D", "C"}, 8, false, {}}};
  layer.final_output_precision = 8;
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  layer.mapping.core_allocation = {0, 1};
  return layer;
}

core::ComputationNodeGraph small_graph_of_products(int nodes) {
  core::ComputationNodeGraph graph;
  for (int index = 0; index < 2; ++index) {
    core::CutLayer& layer = graph.layers.emplace_back();
    layer.layer = std::make_shared<core::Layer>(product(3 * index, 4 * nodes));
    core::Layer piece = product(3 * index, 4);
    if (index == 0) piece.operands[2].constant = true;
    layer.piece = std::make_shared<core::Layer>(piece);
    layer.outer_loops = {{0, nodes}};
    layer.first_node = index * nodes;
    layer.node_count = nodes;
    for (int sub_id = 0; sub_id < nodes; ++sub_id) {
      core::ComputationNode node;
      node.layer = index;
      node.sub_id = sub_id;
      for (int operand = 0; operand < 3; ++operand) {
        if (operand == 2 && index == 1) continue;
        node.tensors[operand] = static_cast<int>(graph.tensors.size());
        const std::int64_t bits = operand == 0 ? 4 * 8 * 8 : piece.operand_bits(operand, {});
        graph.tensors.push_back({index, operand, layer.first_node + sub_id, bits, 1});
      }
      graph.nodes.push_back(node);
    }
  }
  for (int from = 0; from < nodes; ++from)
    for (int to = from; to < nodes; ++to) graph.dependencies.push_back({from, nodes + to, 2, 4 * 8 * 8});
  for (int node = 0; node < 2 * nodes; ++node) graph.node_order.push_back(node);
  graph.index();
  return graph;
}

}  // namespace zz::test
