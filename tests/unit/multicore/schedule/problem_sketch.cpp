#include "tests/unit/multicore/schedule/problem_sketch.hpp"

#include <cstdlib>

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

std::vector<std::pair<double, double>> times_of(const Schedule& schedule) {
  std::vector<std::pair<double, double>> times(schedule.nodes.size());
  for (const ScheduledNode& entry : schedule.nodes) times[entry.node] = {entry.start, entry.end};
  return times;
}

}  // namespace zz::test
