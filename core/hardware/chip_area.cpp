#include "core/hardware/chip_area.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace zz::core {
namespace {

void add_part(ChipArea& sum, const std::string& name, double one, double count, bool may_be_off_chip) {
  if (one > 0)
    sum.mm2 += one * count;
  else if (!may_be_off_chip && count > 0)
    sum.without.push_back(name);
}

/// The core with the lowest id that has this memory counts it.
bool is_counted_elsewhere(const MultiCoreAccelerator& accelerator, int core, const std::string& memory) {
  return std::any_of(accelerator.top_memories.begin(), accelerator.top_memories.end(),
                     [&](const TopMemory& top) {
                       return top.name == memory && top.cores.size() > 1 && top.cores.front() != core &&
                              std::find(top.cores.begin(), top.cores.end(), core) != top.cores.end();
                     });
}

template <class Leave>
ChipArea sum_of(const Accelerator& accelerator, Leave leave_out) {
  ChipArea sum;
  if (!accelerator.array.imc)
    add_part(sum, "units", accelerator.array.unit_area, static_cast<double>(accelerator.array.unit_count()),
             false);
  for (std::size_t i = 0; i < accelerator.memories.size(); ++i) {
    const Memory& memory = accelerator.memories[i];
    // The array has the area of the cells in it.
    if (leave_out(memory) || (accelerator.array.imc && memory.name == "cells")) continue;
    add_part(sum, memory.name, memory.area, static_cast<double>(accelerator.instances(memory)),
             accelerator.is_topmost(i));
  }
  return sum;
}

}  // namespace

ChipArea chip_area(const Accelerator& accelerator, const Accelerator* beside) {
  return sum_of(accelerator, [&](const Memory& memory) {
    return beside != nullptr && beside->memory_index(memory.name) >= 0;
  });
}

ChipArea chip_area(const MultiCoreAccelerator& accelerator) {
  ChipArea sum;
  for (int core = 0; core < accelerator.core_count(); ++core) {
    if (core == accelerator.offchip_core) continue;
    const Accelerator& one = *accelerator.cores[static_cast<std::size_t>(core)];
    const ChipArea own = sum_of(
        one, [&](const Memory& memory) { return is_counted_elsewhere(accelerator, core, memory.name); });
    sum.mm2 += own.mm2;
    if (one.array.imc) sum.without.push_back(one.name + ": units");
    for (const std::string& part : own.without)
      sum.without.push_back(fmt::format("{}: {}", one.name, part));
  }
  return sum;
}

}  // namespace zz::core
