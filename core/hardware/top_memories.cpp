#include "core/hardware/top_memories.hpp"

#include <algorithm>
#include <numeric>

namespace zz::core {
namespace {

/// The largest figure of a port of this direction; where there is none, of the other one.
template <class Figure>
auto most_of(const Memory& memory, PortType direction, PortType other, const Figure& figure) {
  decltype(figure(Port())) most = 0;
  for (const PortType wanted : {direction, other}) {
    if (most > 0) break;
    for (const Port& port : memory.ports)
      if (port.type == wanted || port.type == PortType::read_write) most = std::max(most, figure(port));
  }
  return most;
}

std::int64_t width_of(const Port& port) { return port.bandwidth_max; }
double rate_of(const Port& port) { return port.bandwidth(); }

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
  return most_of(memory, PortType::read, PortType::write, width_of);
}

std::int64_t write_bandwidth(const Memory& memory) {
  return most_of(memory, PortType::write, PortType::read, width_of);
}

double read_rate(const Memory& memory) { return most_of(memory, PortType::read, PortType::write, rate_of); }

double write_rate(const Memory& memory) {
  return most_of(memory, PortType::write, PortType::read, rate_of);
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
