#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/diagnostics/diagnostics.hpp"
#include "core/schedule/table_builders.hpp"

namespace zz::core {
namespace {

void tabulate_routes(ScheduleProblem::Tables& tables) {
  const MultiCoreAccelerator& accelerator = *tables.accelerator;
  tables.routes.resize(static_cast<std::size_t>(tables.core_count) * tables.core_count);
  for (int from = 0; from < tables.core_count; ++from) {
    for (int to = 0; to < tables.core_count; ++to) {
      CoreRoute& route = tables.routes[static_cast<std::size_t>(from) * tables.core_count + to];
      route.links = accelerator.route(from, to);
      route.narrowest = std::numeric_limits<double>::infinity();
      for (const int link : route.links) {
        route.narrowest = std::min(route.narrowest, accelerator.links[link].bandwidth);
        if (std::find(route.distinct.begin(), route.distinct.end(), link) == route.distinct.end()) {
          route.distinct.push_back(link);
        }
      }
    }
  }
}

}  // namespace

int memory_operand_index(ScheduleProblem::Tables& tables, const std::string& name) {
  const auto found = std::find(tables.memory_operands.begin(), tables.memory_operands.end(), name);
  const auto index = static_cast<int>(found - tables.memory_operands.begin());
  if (found == tables.memory_operands.end()) tables.memory_operands.push_back(name);
  return index;
}

void tabulate_hardware(ScheduleProblem::Tables& tables) {
  const MultiCoreAccelerator& accelerator = *tables.accelerator;
  if (!accelerator.offchip_core) {
    throw InputError(fmt::format(
        "accelerator '{}' has no off-chip memory, where the network's data could come "
        "from; {}",
        accelerator.name,
        accelerator.core_count() == 1
            ? "a schedule needs an accelerator of several cores, one of which is the off-chip "
              "memory; a network on one core alone is estimated by WorkloadStage and those below"
            : "expected 'offchip_core_id' with the core that is the memory"));
  }
  tables.offchip_core = *accelerator.offchip_core;
  tables.core_count = accelerator.core_count();
  tables.memory_count = static_cast<int>(accelerator.top_memories.size());
  for (const TopMemory& memory : accelerator.top_memories) {
    tables.memories.push_back({static_cast<double>(memory.size), static_cast<double>(memory.read_bandwidth),
                               static_cast<double>(memory.write_bandwidth), memory.read_cost,
                               memory.write_cost, memory.cores.front()});
    for (const std::string& operand : memory.operands) memory_operand_index(tables, operand);
  }
  for (const TiledLayer& tiled : tables.graph->layers) {
    std::vector<int>& of_layer = tables.layer_operands.emplace_back();
    for (std::size_t i = 0; i < tiled.layer->operands.size(); ++i) {
      of_layer.push_back(memory_operand_index(tables, tiled.layer->memory_operand(static_cast<int>(i))));
    }
  }
  const std::size_t operands = tables.memory_operands.size();
  tables.tops.assign(static_cast<std::size_t>(tables.core_count) * operands, -1);
  for (int core = 0; core < tables.core_count; ++core) {
    for (const int memory : accelerator.cores_tops[core]) {
      for (const std::string& operand : accelerator.top_memories[memory].operands) {
        int& top = tables.tops[core * operands + memory_operand_index(tables, operand)];
        if (top < 0) top = memory;
      }
    }
  }
  for (const std::vector<int>& of_layer : tables.layer_operands) {
    for (const int operand : of_layer) {
      const std::string& name = tables.memory_operands[operand];
      if (name.empty() || tables.top(tables.offchip_core, operand) >= 0) continue;
      throw InputError(fmt::format(
          "the off-chip memory of accelerator '{}' does not hold memory operand '{}', which layers "
          "need from there",
          accelerator.name, name));
    }
  }
  tabulate_routes(tables);
}

}  // namespace zz::core
