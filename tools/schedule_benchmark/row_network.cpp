#include "tools/schedule_benchmark/row_network.hpp"

#include <algorithm>

namespace zz::tools {
namespace {

constexpr int core_count = 4;
constexpr std::int64_t row_bits = 28672, weight_bits = 294912;

core::TopMemory memory(const char* name, int core, std::int64_t size, std::int64_t bandwidth, double cost) {
  return {name, {core}, {"I1", "I2", "O"}, size, bandwidth, bandwidth, cost, cost};
}

std::shared_ptr<const core::MultiCoreAccelerator> square_of_cores(std::int64_t core_memory) {
  auto accelerator = std::make_shared<core::MultiCoreAccelerator>();
  accelerator->name = "square";
  accelerator->cores.assign(core_count + 1, std::make_shared<core::Accelerator>());
  accelerator->offchip_core = core_count;
  for (int core = 0; core < core_count; ++core) {
    accelerator->top_memories.push_back(memory("sram", core, core_memory, 2048, 400));
  }
  accelerator->top_memories.push_back(memory("dram", core_count, std::int64_t{1} << 40, 64, 1000));
  accelerator->routes.resize((core_count + 1) * (core_count + 1));
  const auto route = [&](int from, int to) -> std::vector<int>& {
    return accelerator->routes[from * (core_count + 1) + to];
  };
  const auto join = [&](int from, int to) {
    const int link = static_cast<int>(accelerator->links.size());
    accelerator->links.push_back({from, to, 32, 0, false});
    accelerator->connections.push_back({from, to, link});
    route(from, to) = {link};
  };
  for (const auto& [a, b] : {std::pair(0, 1), {1, 3}, {3, 2}, {2, 0}}) {
    join(a, b);
    join(b, a);
  }
  for (const auto& [from, to, by] : {std::tuple(0, 3, 1), {3, 0, 2}, {1, 2, 3}, {2, 1, 0}}) {
    route(from, to) = {route(from, by)[0], route(by, to)[0]};
  }
  const int offchip_link = static_cast<int>(accelerator->links.size());
  accelerator->links.push_back({-1, -1, 64, 0, true});
  for (int core = 0; core <= core_count; ++core) {
    accelerator->cores_tops.push_back({core});
    if (core == core_count) continue;
    for (const auto& [from, to] : {std::pair(core, core_count), {core_count, core}}) {
      accelerator->connections.push_back({from, to, offchip_link});
      route(from, to) = {offchip_link};
    }
  }
  return accelerator;
}

core::CutLayer make_layer(int id, int rows) {
  core::Layer layer;
  layer.id = id;
  layer.name = "layer" + std::to_string(id);
  layer.operands = {{"O", {}, 8, false, {}}, {"W", {}, 8, true, {}}, {"I", {}, 8, id == 0, {}}};
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  core::CutLayer cut_layer;
  cut_layer.layer = cut_layer.piece = std::make_shared<core::Layer>(layer);
  cut_layer.constants = id == 0 ? std::vector<int>{1, 2} : std::vector<int>{1};
  cut_layer.first_node = id * rows;
  cut_layer.node_count = rows;
  cut_layer.group_count = 1;
  return cut_layer;
}

std::shared_ptr<const core::ComputationNodeGraph> make_graph(const RowNetwork& network) {
  auto graph = std::make_shared<core::ComputationNodeGraph>();
  graph->name = "rows";
  for (int layer = 0; layer < network.layers; ++layer) {
    graph->layers.push_back(make_layer(layer, network.rows));
    const int first = layer * network.rows;
    const auto add_tensor = [&](int operand, int node, std::int64_t bits, std::int64_t priority) {
      graph->tensors.push_back({layer, operand, node, bits, priority});
      return static_cast<int>(graph->tensors.size()) - 1;
    };
    const std::int64_t growth = network.every_layer_alike ? 1 : std::int64_t{1} << std::min(layer / 4, 4);
    const int weights = add_tensor(1, first, weight_bits * growth, network.rows);
    for (int row = 0; row < network.rows; ++row) {
      const int node = first + row;
      const int output = add_tensor(0, node, row_bits, 3);
      const int input = layer == 0 ? add_tensor(2, node, row_bits, 1) : -1;
      graph->nodes.push_back({layer, row, 0, 0, true, row_bits, {output, weights, input}});
      graph->node_order.push_back(node);
      if (row > 0) graph->dependencies.push_back({node - 1, node, -1, 0});
      for (int above = std::max(row - 1, 0); layer > 0 && above <= std::min(row + 1, network.rows - 1);
           ++above) {
        graph->dependencies.push_back({first - network.rows + above, node, 2, row_bits});
      }
    }
  }
  graph->index();
  return graph;
}

}  // namespace

std::shared_ptr<const core::ScheduleProblem> make_problem(const RowNetwork& network, bool as_stream) {
  auto costs = std::make_shared<core::CoreCosts>();
  for (int layer = 0; layer < network.layers; ++layer) {
    core::CoreCosts::OfLayer& of_layer = costs->layers.emplace_back();
    for (int core = 0; core < core_count; ++core) {
      core::CoreCost cost;
      cost.core = core;
      cost.runtime = 5000 + 37 * (layer % 7);
      cost.onchip_energy = 1e6;
      of_layer.on.push_back(cost);
    }
  }
  const std::int64_t size = network.core_memory > 0 ? network.core_memory : std::int64_t{1} << 40;
  core::ScheduleOptions options;
  options.rules = as_stream ? core::rules_of("stream-0.0.8") : core::Rules{};
  return std::make_shared<core::ScheduleProblem>(square_of_cores(size), make_graph(network), costs,
                                                 options);
}

}  // namespace zz::tools
