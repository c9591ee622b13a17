#include "core/hardware/memory_hierarchy.hpp"

#include <algorithm>

namespace zz::core {
namespace {

using LevelsByMemory = std::vector<std::vector<int>>;  // [memory][operand], -1 when not held

LevelsByMemory operand_levels(const Accelerator& accelerator, const std::vector<std::string>& operands) {
  std::vector<int> next_level(operands.size(), 0);
  LevelsByMemory levels;
  for (const Memory& memory : accelerator.memories) {
    std::vector<int> level(operands.size(), -1);
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
      if (memory.holds(operands[operand])) level[operand] = next_level[operand]++;
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

/// Edges from the memory that feeds to the one above it. For each operand the earlier memories of the
/// highest overall level feed; a memory's overall level is the highest among its operands.
std::vector<std::vector<int>> feeding_edges(const Accelerator& accelerator,
                                            const std::vector<std::string>& operands,
                                            const LevelsByMemory& levels) {
  const int count = static_cast<int>(accelerator.memories.size());
  std::vector<int> overall(count);
  for (int memory = 0; memory < count; ++memory) {
    overall[memory] = *std::max_element(levels[memory].begin(), levels[memory].end());
  }
  std::vector<std::vector<int>> above(count);
  for (int memory = 0; memory < count; ++memory) {
    for (const std::string& name : accelerator.memories[memory].operands) {
      const auto operand = std::find(operands.begin(), operands.end(), name) - operands.begin();
      int highest = -1;
      for (int earlier = 0; earlier < memory; ++earlier) {
        if (levels[earlier][operand] >= 0) highest = std::max(highest, overall[earlier]);
      }
      for (int earlier = 0; earlier < memory; ++earlier) {
        if (levels[earlier][operand] < 0 || overall[earlier] != highest) continue;
        if (std::find(above[earlier].begin(), above[earlier].end(), memory) == above[earlier].end()) {
          above[earlier].push_back(memory);
        }
      }
    }
  }
  return above;
}

std::vector<ServingPort> serving_ports(const Memory& memory, const std::vector<std::string>& operands,
                                       const std::vector<int>& levels,
                                       std::vector<std::array<int, direction_count>>& port_of) {
  std::vector<ServingPort> ports;
  for (std::size_t port = 0; port < memory.ports.size(); ++port)
    ports.push_back({static_cast<int>(port), {}});
  for (const std::string& name : memory.operands) {
    const int operand =
        static_cast<int>(std::find(operands.begin(), operands.end(), name) - operands.begin());
    // A direction that is allocated twice keeps its first turn but takes the last port.
    std::vector<Direction> order;
    for (std::size_t port = 0; port < memory.ports.size(); ++port) {
      for (const PortAllocation& allocation : memory.ports[port].allocation) {
        if (allocation.operand != name) continue;
        int& chosen = port_of[operand][static_cast<int>(allocation.direction)];
        if (chosen < 0) order.push_back(allocation.direction);
        // Ports are known by name: of several with one name only the first exists.
        const auto first = std::find_if(memory.ports.begin(), memory.ports.end(), [&](const Port& other) {
          return other.name == memory.ports[port].name;
        });
        chosen = static_cast<int>(first - memory.ports.begin());
      }
    }
    for (const Direction direction : order) {
      const int port = port_of[operand][static_cast<int>(direction)];
      ports[port].services.push_back({operand, levels[operand], direction});
    }
  }
  std::erase_if(ports, [](const ServingPort& port) { return port.services.empty(); });
  return ports;
}

}  // namespace

MemoryHierarchy::MemoryHierarchy(const Accelerator& accelerator) {
  for (const Memory& memory : accelerator.memories) {
    for (const std::string& name : memory.operands) {
      if (operand_index(name) < 0) operands.push_back(name);
    }
  }
  const int count = static_cast<int>(accelerator.memories.size());
  const LevelsByMemory level_of = operand_levels(accelerator, operands);
  const std::vector<std::vector<int>> above = feeding_edges(accelerator, operands, level_of);

  std::vector<int> feeders(count, 0);
  for (const std::vector<int>& targets : above) {
    for (const int target : targets) ++feeders[target];
  }
  for (int memory = 0; memory < count; ++memory) {
    if (feeders[memory] == 0) inner_memories.push_back(memory);
  }
  topological_order = inner_memories;
  for (std::size_t next = 0; next < topological_order.size(); ++next) {
    for (const int target : above[topological_order[next]]) {
      if (--feeders[target] == 0) topological_order.push_back(target);
    }
  }

  levels.resize(operands.size());
  for (const int memory : topological_order) {
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
      if (level_of[memory][operand] >= 0) levels[operand].push_back(memory);
    }
  }

  std::array<int, direction_count> no_port;
  no_port.fill(-1);
  port_of.assign(count, std::vector<std::array<int, direction_count>>(operands.size(), no_port));
  for (int memory = 0; memory < count; ++memory) {
    ports.push_back(
        serving_ports(accelerator.memories[memory], operands, level_of[memory], port_of[memory]));
  }

  for (std::size_t operand = 0; operand < operands.size(); ++operand) {
    for (const int memory : levels[operand]) {
      std::vector<std::pair<int, int>> sharers;
      for (const std::string& name : accelerator.memories[memory].operands) {
        const int other = operand_index(name);
        sharers.emplace_back(other, level_of[memory][other]);
      }
      if (sharers.size() > 1 && std::find(shared.begin(), shared.end(), sharers) == shared.end()) {
        shared.push_back(std::move(sharers));
      }
    }
  }
}

int MemoryHierarchy::operand_index(const std::string& memory_operand) const {
  const auto found = std::find(operands.begin(), operands.end(), memory_operand);
  return found == operands.end() ? -1 : static_cast<int>(found - operands.begin());
}

}  // namespace zz::core
