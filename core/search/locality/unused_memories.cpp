#include "core/search/locality/unused_memories.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/compat/python_set_order.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {
namespace {

/// A memory operand and the index of the highest memory that may hold it.
struct Limit {
  std::string operand;
  std::int64_t memory;
};

void check(const Accelerator& accelerator, const Layer& layer, std::int64_t level, const char* what) {
  const auto count = static_cast<std::int64_t>(accelerator.memories.size());
  if (level >= 0 && level < count) return;
  throw InputError(
      fmt::format("layer '{}': the memory level of its {} is {}, but '{}' has the memories 0 to {}",
                  layer.name, what, level, accelerator.name, count - 1));
}

/// The level, or the topmost memory of the operand when the one at that level does not hold it.
std::int64_t reachable(const Accelerator& accelerator, const std::string& operand, std::int64_t level) {
  if (accelerator.memories[level].holds(operand)) return level;
  for (std::size_t i = accelerator.memories.size(); i-- > 0;)
    if (accelerator.memories[i].holds(operand)) return static_cast<std::int64_t>(i);
  return level;
}

std::vector<Limit> limits(const Accelerator& accelerator, const Layer& layer, const LayerDataLevels& levels,
                          std::int64_t weights, const Rules& rules) {
  check(accelerator, layer, levels.activation, "activations");
  check(accelerator, layer, levels.output, "outputs");
  const OperandRoles roles = operand_roles(layer);
  std::vector<Limit> limits;
  if (roles.activation >= 0) limits.push_back({layer.memory_operand(roles.activation), levels.activation});
  if (roles.weight >= 0) {
    const std::string& operand = layer.memory_operand(roles.weight);
    if (has_constant_input(layer)) {
      check(accelerator, layer, weights, "weights");
      limits.push_back({operand, weights});
    } else {
      limits.push_back({operand, rules.locality_from_unheld_levels
                                     ? levels.activation
                                     : reachable(accelerator, operand, levels.activation)});
    }
  }
  limits.push_back({layer.memory_operand(0), levels.output});
  return limits;
}

/// Both inputs come to the memory from others above it.
bool passes_inputs_on(const Accelerator& accelerator, const Memory& memory) {
  const auto comes = [&](const char* input) {
    return memory.holds(input) &&
           std::any_of(&memory + 1, accelerator.memories.data() + accelerator.memories.size(),
                       [&](const Memory& above) { return above.holds(input); });
  };
  return comes("I1") && comes("I2");
}

bool reads_an_input(const Port& port) {
  return std::any_of(port.allocation.begin(), port.allocation.end(), [](const PortAllocation& one) {
    return one.operand != "O" && one.direction == Direction::read_to_low;
  });
}

}  // namespace

Accelerator without_unused_memories(const Accelerator& accelerator, const Layer& layer,
                                    const LayerDataLevels& levels, std::int64_t weights,
                                    const Rules& rules) {
  const std::vector<Limit> kept = limits(accelerator, layer, levels, weights, rules);
  Accelerator reduced;
  reduced.name = accelerator.name + "-removing-nouse-mem";
  reduced.array = accelerator.array;
  for (std::size_t i = 0; i < accelerator.memories.size(); ++i) {
    const Memory& memory = accelerator.memories[i];
    Memory copy = memory;
    copy.operands.clear();
    copy.moves_to.clear();  // the rest is for one layer
    for (const Limit& limit : kept) {
      if (static_cast<std::int64_t>(i) > limit.memory || !memory.holds(limit.operand)) continue;
      if (!copy.holds(limit.operand)) copy.operands.push_back(limit.operand);
    }
    if (copy.operands.empty()) continue;
    for (Port& port : copy.ports)
      std::erase_if(port.allocation,
                    [&](const PortAllocation& allocation) { return !copy.holds(allocation.operand); });
    std::erase_if(copy.ports, [](const Port& port) { return port.allocation.empty(); });
    for (Port& port : copy.ports)
      if (!reads_an_input(port)) port.line.reset();
    // ZigZag copies a set, which walks it; where names collide, the copy is walked differently.
    copy.served_dimensions = python_set_order(memory.served_dimensions, NameClass::array_dimension);
    reduced.memories.push_back(std::move(copy));
  }
  for (Memory& memory : reduced.memories)
    memory.shared_tiles = memory.shared_tiles && passes_inputs_on(reduced, memory);
  for (const Limit& limit : kept) {
    const bool held = std::any_of(reduced.memories.begin(), reduced.memories.end(),
                                  [&](const Memory& memory) { return memory.holds(limit.operand); });
    if (!held)
      throw InputError(fmt::format(
          "layer '{}': memory operand {} may only use the memories 0 to {} of '{}', none of which holds it",
          layer.name, limit.operand, limit.memory, accelerator.name));
  }
  return reduced;
}

}  // namespace zz::core
