#include "core/hardware/top_memories.hpp"

#include <algorithm>
#include <numeric>

namespace zz::core {
namespace {

std::int64_t widest(const Memory& memory, PortType direction) {
  std::int64_t bandwidth = 0;
  for (const Port& port : memory.ports) {
    if (port.type == direction || port.type == PortType::read_write)
      bandwidth = std::max(bandwidth, port.bandwidth_max);
  }
  return bandwidth;
}

}  // namespace

std::vector<int> top_memory_indices(const Accelerator& core) {
  std::vector<int> tops;
  const auto count = static_cast<int>(core.memories.size());
  for (int memory = 0; memory < count; ++memory) {
    const std::vector<std::string>& operands = core.memories[memory].operands;
    const bool is_home = std::any_of(operands.begin(), operands.end(), [&](const std::string& operand) {
      return std::none_of(core.memories.begin() + memory + 1, core.memories.end(),
                          [&](const Memory& above) { return above.holds(operand); });
    });
    if (is_home) tops.push_back(memory);
  }
  return tops;
}

std::int64_t read_bandwidth(const Memory& memory) {
  const std::int64_t bandwidth = widest(memory, PortType::read);
  return bandwidth > 0 ? bandwidth : widest(memory, PortType::write);
}

std::int64_t write_bandwidth(const Memory& memory) {
  const std::int64_t bandwidth = widest(memory, PortType::write);
  return bandwidth > 0 ? bandwidth : widest(memory, PortType::read);
}

std::vector<int> sharing_groups(const MultiCoreAccelerator& accelerator) {
  std::vector<int> group(accelerator.cores.size());
  std::iota(group.begin(), group.end(), 0);
  for (const std::vector<int>& cores : accelerator.shared_memories) {
    for (const int core : cores) {
      const int lower = std::min(group[core], group[cores.front()]);
      const int higher = std::max(group[core], group[cores.front()]);
      std::replace(group.begin(), group.end(), higher, lower);
    }
  }
  return group;
}

bool have_common_top_memory(const Accelerator& core, const Accelerator& other) {
  for (const int memory : top_memory_indices(core)) {
    for (const int candidate : top_memory_indices(other)) {
      if (core.memories[memory].name == other.memories[candidate].name) return true;
    }
  }
  return false;
}

}  // namespace zz::core
