#include "core/search/fused/fused_mapping.hpp"

#include <algorithm>
#include <memory>

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

std::vector<RepeatedGroup> distinct_groups(const FusedNetwork& network, const FusedMapping& mapping) {
  std::vector<RepeatedGroup> distinct;
  for (const FusedGroup& group : groups_of(network, mapping)) {
    RepeatedGroup row{.group = group};
    for (int layer = group.first; layer <= group.last; ++layer) {
      row.fused += mapping.layers[static_cast<std::size_t>(layer)].energy;
      row.unfused += network.layers[static_cast<std::size_t>(layer)].energy;
    }
    const auto same = std::find_if(distinct.begin(), distinct.end(), [&](const RepeatedGroup& known) {
      return known.group.last - known.group.first == group.last - group.first && known.fused == row.fused &&
             known.unfused == row.unfused;
    });
    if (same != distinct.end())
      ++same->times;
    else
      distinct.push_back(row);
  }
  return distinct;
}

std::vector<std::optional<FusedPlace>> places_of(const FusedNetwork& network, const FusedMapping& mapping) {
  constexpr std::array words = {"brought", "kept", "exchanged"};
  std::vector<std::optional<FusedPlace>> places(mapping.layers.size());
  std::int64_t number = 0;
  for (const FusedGroup& group : groups_of(network, mapping)) {
    ++number;
    for (int index = group.first; index <= group.last; ++index) {
      const FusedLayer& member = mapping.layers[static_cast<std::size_t>(index)];
      const Layer& layer = *network.layers[static_cast<std::size_t>(index)].layer;
      FusedPlace& place = places[static_cast<std::size_t>(index)].emplace();
      place.group = number;
      place.home = home_name(network, mapping);
      place.with_next = member.with_next;
      for (const SharedLoop& loop : member.shared)
        place.shared.push_back(
            {layer.loops[static_cast<std::size_t>(network.axis_of(index, loop.axis)->dimension)].name,
             loop.iterations});
      for (std::size_t operand = 0; operand < layer.operands.size(); ++operand)
        place.operands.push_back({layer.operands[operand].name,
                                  words.at(static_cast<std::size_t>(member.operands[operand].place)),
                                  member.operands[operand].depth});
    }
  }
  return places;
}

const std::string& home_name(const FusedNetwork& network, const FusedMapping& mapping) {
  static const std::string none;
  if (mapping.home < 0) return none;
  const Accelerator* array = array_of(network);
  return array == nullptr ? none : array->memories[static_cast<std::size_t>(mapping.home)].name;
}

const Memory* moves_into(const Accelerator& accelerator, int home) {
  const std::string& name = accelerator.memories[static_cast<std::size_t>(home)].name;
  const auto from = std::find_if(accelerator.memories.begin(), accelerator.memories.end(),
                                 [&](const Memory& memory) { return memory.moves_to == name; });
  return from == accelerator.memories.end() ? nullptr : &*from;
}

bool may_be_exchanged(const Accelerator& accelerator, int home, const std::string& operand) {
  return accelerator.memories[static_cast<std::size_t>(home)].holds(operand) ||
         (operand == "O" && moves_into(accelerator, home) != nullptr);
}

namespace {

/// Makes the home take outputs by the port that writes its inputs.
void let_outputs_in(Memory& home) {
  home.operands.emplace_back("O");
  for (const char* input : {"I1", "I2"}) {
    for (Port& port : home.ports) {
      if (std::find(port.allocation.begin(), port.allocation.end(),
                    PortAllocation{input, Direction::write_from_high}) == port.allocation.end())
        continue;
      port.allocation.push_back({"O", Direction::write_from_low});
      return;
    }
  }
}

}  // namespace

Accelerator ending_at_home(const Accelerator& accelerator, int home,
                           const std::vector<std::string>& operands) {
  Accelerator seen = accelerator;
  for (Memory& memory : seen.memories) {
    memory.shared_with.clear();
    memory.moves_to.clear();
  }
  if (operands.empty()) return seen;
  const auto ends = [&](const std::string& operand) {
    return std::find(operands.begin(), operands.end(), operand) != operands.end();
  };
  Memory& shared = seen.memories[static_cast<std::size_t>(home)];
  if (ends("O") && !shared.holds("O")) let_outputs_in(shared);
  for (std::size_t index = static_cast<std::size_t>(home); index < seen.memories.size(); ++index) {
    Memory& memory = seen.memories[index];
    const bool is_home = index == static_cast<std::size_t>(home);
    if (!is_home) std::erase_if(memory.operands, ends);
    for (Port& port : memory.ports) {
      std::erase_if(port.allocation, [&](const PortAllocation& served) {
        const bool passes =
            served.direction == Direction::read_to_high || served.direction == Direction::write_from_high;
        return ends(served.operand) && (!is_home || passes);
      });
    }
    std::erase_if(memory.ports, [](const Port& port) { return port.allocation.empty(); });
  }
  std::erase_if(seen.memories, [](const Memory& memory) { return memory.operands.empty(); });
  return seen;
}

Accelerator exchanging(const Accelerator& accelerator, int home, const std::vector<std::string>& operands) {
  Accelerator seen = ending_at_home(accelerator, home, operands);
  if (operands.empty()) return seen;
  // As large and as wide as a memory may be: no transfer of whole tensors takes one access.
  constexpr std::int64_t unlimited = std::int64_t{1} << 53;
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
  seen.memories[static_cast<std::size_t>(home)].ports.push_back(below);
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

MappingProblem seen_in_group(const UnrolledLayer& layer, int home,
                             const std::vector<std::string>& exchanged) {
  if (exchanged.empty()) return layer.problem;
  return unrolled_problem(*layer.layer,
                          std::make_shared<const Accelerator>(
                              exchanging(*layer.problem.accelerator, layer.memory(home), exchanged)),
                          layer.unrolling, layer.problem.options);
}

MappingProblem seen_in_group(const UnrolledLayer& layer, int home,
                             const std::array<FusedOperand, max_operands>& operands) {
  std::vector<std::string> exchanged;
  for (std::size_t operand = 0; operand < layer.layer->operands.size(); ++operand)
    if (operands[operand].place == FusedOperand::Place::exchanged)
      exchanged.push_back(layer.problem.layer->memory_operand(static_cast<int>(operand)));
  return seen_in_group(layer, home, exchanged);
}

}  // namespace zz::core
