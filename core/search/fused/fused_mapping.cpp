#include "core/search/fused/fused_mapping.hpp"

#include <algorithm>

namespace zz::core {

std::vector<FusedGroup> groups_of(const FusedNetwork& network, const FusedMapping& mapping) {
  const int count = static_cast<int>(mapping.layers.size());
  std::vector<bool> joined(mapping.layers.size(), false);  // with the next layer
  for (int layer = 0; layer < count; ++layer) {
    const FusedLayer& member = mapping.layers[static_cast<std::size_t>(layer)];
    if (member.with_next > 0) joined[static_cast<std::size_t>(layer)] = true;
    if (member.operands[0].place != FusedOperand::Place::exchanged) continue;
    const auto& uses = network.tensors[static_cast<std::size_t>(network.tensor_at(layer, 0))].uses;
    for (int within = layer; within < uses.back().layer; ++within)
      joined[static_cast<std::size_t>(within)] = true;
  }
  std::vector<FusedGroup> groups;
  for (int layer = 0; layer < count; ++layer) {
    int last = layer;
    while (joined[static_cast<std::size_t>(last)]) ++last;
    if (last > layer) groups.push_back({layer, last});
    layer = last;
  }
  return groups;
}

Accelerator exchanging(const Accelerator& accelerator, int home, const std::vector<std::string>& operands) {
  // As large and as wide as a memory may be: no transfer of whole tensors takes one access.
  constexpr std::int64_t unlimited = std::int64_t{1} << 53;
  Accelerator seen = accelerator;
  if (operands.empty()) return seen;
  const auto exchanged = [&](const std::string& operand) {
    return std::find(operands.begin(), operands.end(), operand) != operands.end();
  };
  const std::string name = "exchange";
  Port below{name, PortType::read_write, 1, unlimited, {}}, above = below;
  for (const std::string& operand : operands) {
    const bool output = operand == "O";
    below.allocation.push_back({operand, output ? Direction::read_to_high : Direction::write_from_high});
    above.allocation.push_back({operand, output ? Direction::write_from_low : Direction::read_to_low});
    if (!output) continue;
    below.allocation.push_back({operand, Direction::write_from_high});
    above.allocation.push_back({operand, Direction::read_to_low});
  }
  for (std::size_t index = static_cast<std::size_t>(home); index < seen.memories.size(); ++index) {
    Memory& memory = seen.memories[index];
    const bool is_home = index == static_cast<std::size_t>(home);
    if (!is_home) std::erase_if(memory.operands, exchanged);
    for (Port& port : memory.ports) {
      std::erase_if(port.allocation, [&](const PortAllocation& served) {
        const bool passes =
            served.direction == Direction::read_to_high || served.direction == Direction::write_from_high;
        return exchanged(served.operand) && (!is_home || passes);
      });
    }
    std::erase_if(memory.ports, [](const Port& port) { return port.allocation.empty(); });
    if (is_home) memory.ports.push_back(below);
  }
  std::erase_if(seen.memories, [](const Memory& memory) { return memory.operands.empty(); });
  Memory exchange;
  exchange.name = name;
  exchange.size = unlimited;
  exchange.operands = operands;
  exchange.ports = {above};
  for (const ArrayDimension& dimension : accelerator.array.dimensions)
    exchange.served_dimensions.push_back(dimension.name);
  seen.memories.push_back(std::move(exchange));
  return seen;
}

}  // namespace zz::core
