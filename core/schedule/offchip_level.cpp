#include "core/schedule/offchip_level.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"

namespace zz::core {
namespace {

/// A name for another memory of the core: that of the off-chip memory, unless the core has one like it.
std::string free_name(const Accelerator& core, std::string name) {
  const auto taken = [&] {
    return std::any_of(core.memories.begin(), core.memories.end(),
                       [&](const Memory& memory) { return memory.name == name; });
  };
  while (taken()) name += "_offchip";
  return name;
}

Memory copy_for(const Memory& memory, const std::vector<std::string>& operands, const Accelerator& core,
                bool stream_compat) {
  Memory copy = memory;
  copy.name = free_name(core, memory.name);
  copy.operands = operands;
  for (std::size_t port = 0; port < copy.ports.size(); ++port) {
    copy.ports[port].allocation.clear();
    for (const std::string& operand : operands)
      for (const PortAllocation& served : memory.ports[port].allocation)
        if (served.operand == operand) copy.ports[port].allocation.push_back(served);
  }
  copy.served_dimensions.clear();
  for (const ArrayDimension& dimension : core.array.dimensions)
    if (!stream_compat || memory.serves(dimension.name)) copy.served_dimensions.push_back(dimension.name);
  return copy;
}

}  // namespace

Accelerator with_offchip_level(const Accelerator& core, const Accelerator& offchip_core,
                               const std::vector<std::string>& memory_operands, bool stream_compat) {
  const MemoryHierarchy hierarchy(offchip_core);
  std::vector<std::vector<std::string>> held(offchip_core.memories.size());
  for (const std::string& operand : memory_operands) {
    const int index = hierarchy.operand_index(operand);
    if (index < 0) {
      throw InputError(fmt::format("no memory of the off-chip core '{}' holds {}, which has to stream",
                                   offchip_core.name, operand));
    }
    held[hierarchy.levels[index].back()].push_back(operand);
  }
  Accelerator extended = core;
  for (std::size_t memory = 0; memory < held.size(); ++memory) {
    if (held[memory].empty()) continue;
    extended.memories.push_back(
        copy_for(offchip_core.memories[memory], held[memory], extended, stream_compat));
  }
  return extended;
}

bool same_instance(const Memory& a, const Memory& b) {
  const auto same_port = [](const Port& p, const Port& q) {
    return p.type == q.type && p.bandwidth_min == q.bandwidth_min && p.bandwidth_max == q.bandwidth_max;
  };
  return a.name == b.name && a.size == b.size && a.read_cost == b.read_cost &&
         a.write_cost == b.write_cost && a.area == b.area && a.latency == b.latency &&
         std::equal(a.ports.begin(), a.ports.end(), b.ports.begin(), b.ports.end(), same_port);
}

}  // namespace zz::core
