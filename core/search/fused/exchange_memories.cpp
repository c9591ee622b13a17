#include "core/search/fused/exchange_memories.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "core/cost/rounding.hpp"
#include "core/hardware/exchange_port.hpp"

namespace zz::core {

const Memory* moves_into(const Accelerator& accelerator, int exchange_memory) {
  const std::string& name = accelerator.memories[exchange_memory].name;
  const auto from = std::find_if(accelerator.memories.begin(), accelerator.memories.end(),
                                 [&](const Memory& memory) { return memory.moves_to == name; });
  return from == accelerator.memories.end() ? nullptr : &*from;
}

bool may_be_exchanged(const Accelerator& accelerator, int exchange_memory, const std::string& operand) {
  return accelerator.memories[exchange_memory].holds(operand) ||
         (operand == "O" && moves_into(accelerator, exchange_memory) != nullptr);
}

namespace {

/// Makes the exchange memory take outputs by the port that writes its inputs.
void let_outputs_in(Memory& exchange_memory) {
  exchange_memory.operands.emplace_back("O");
  for (const char* input : {"I1", "I2"}) {
    for (Port& port : exchange_memory.ports) {
      if (std::find(port.allocation.begin(), port.allocation.end(),
                    PortAllocation{input, Direction::write_from_high}) == port.allocation.end())
        continue;
      port.allocation.push_back({"O", Direction::write_from_low});
      return;
    }
  }
}

}  // namespace

Accelerator ending_at_exchange_memory(const Accelerator& accelerator, int exchange_memory,
                                      const std::vector<std::string>& operands) {
  Accelerator seen = accelerator;
  const auto exchange_index = static_cast<std::size_t>(exchange_memory);
  for (Memory& memory : seen.memories) {
    memory.shared_with.clear();
    memory.moves_to.clear();
  }
  for (const std::string& operand : operands)
    if (Memory& memory = seen.memories[exchange_index]; operand == "O" && !memory.holds(operand))
      let_outputs_in(memory);
  for (const std::string& operand : operands) {
    for (std::size_t index = exchange_index; index < seen.memories.size(); ++index) {
      Memory& memory = seen.memories[index];
      if (index != exchange_index) std::erase(memory.operands, operand);
      for (Port& port : memory.ports) {
        std::erase_if(port.allocation, [&](const PortAllocation& served) {
          const bool passes =
              served.direction == Direction::read_to_high || served.direction == Direction::write_from_high;
          return served.operand == operand && (index != exchange_index || passes);
        });
      }
    }
  }
  for (Memory& memory : seen.memories)
    std::erase_if(memory.ports, [](const Port& port) { return port.allocation.empty(); });
  std::erase_if(seen.memories, [](const Memory& memory) { return memory.operands.empty(); });
  return seen;
}

Accelerator exchanging(const Accelerator& accelerator, int exchange_memory,
                       const std::vector<std::string>& operands) {
  Accelerator seen = ending_at_exchange_memory(accelerator, exchange_memory, operands);
  if (operands.empty()) return seen;
  // As large as a memory may be, and so wide that no transfer of whole tensors takes an access or a cycle.
  constexpr std::int64_t unlimited = std::int64_t{1} << 53;
  static_assert(exchange_port_width == width_without_time);
  const Port port{exchange_port_name, PortType::read_write, 1, exchange_port_width, {}};
  Memory exchange;
  exchange.name = port.name;
  exchange.size = unlimited;
  exchange.ports = {port};
  for (const ArrayDimension& dimension : accelerator.array.dimensions)
    exchange.served_dimensions.push_back(dimension.name);
  const std::string& name = accelerator.memories[exchange_memory].name;
  Memory& own = seen.memories[seen.memory_index(name)];
  own.ports.push_back(port);
  for (const std::string& operand : operands) {
    auto &below = own.ports.back().allocation, &above = exchange.ports.front().allocation;
    const bool output = operand == "O";
    exchange.operands.push_back(operand);
    below.push_back({operand, output ? Direction::read_to_high : Direction::write_from_high});
    above.push_back({operand, output ? Direction::write_from_low : Direction::read_to_low});
    if (!output) continue;
    below.push_back({operand, Direction::write_from_high});
    above.push_back({operand, Direction::read_to_low});
  }
  seen.memories.push_back(std::move(exchange));
  return seen;
}

namespace {

/// Why tensors cannot be exchanged in a memory; "" when they can.
std::string obstacle_to_exchange(const Accelerator& accelerator, std::size_t index) {
  const Memory& memory = accelerator.memories[index];
  if (accelerator.is_topmost(index)) return "it is the topmost one";
  if (const auto count = accelerator.instances(memory); count != 1)
    return fmt::format("it is there {} times", count);
  if (!may_be_exchanged(accelerator, static_cast<int>(index), "O"))
    return "it holds no outputs, so that no layer can leave a result there";
  if (!memory.holds("I1") && !memory.holds("I2"))
    return "it holds outputs but no input, so that no layer can read a result there";
  return "";
}

}  // namespace

std::vector<std::string> exchange_memories(const Accelerator& accelerator) {
  std::vector<std::string> names;
  for (std::size_t index = 0; index < accelerator.memories.size(); ++index)
    if (obstacle_to_exchange(accelerator, index).empty()) names.push_back(accelerator.memories[index].name);
  return names;
}

std::vector<int> exchange_memories(const Accelerator& accelerator, const std::vector<std::string>& wanted) {
  const std::vector<std::string> possible = exchange_memories(accelerator);
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& name : wanted) {
    if (among(possible, name)) continue;
    const int index = accelerator.memory_index(name);
    if (index < 0)
      throw InputError(fmt::format("'{}' has no memory '{}' in which layers could exchange tensors; {}",
                                   accelerator.name, name,
                                   possible.empty() ? "no memory can" : suggestion(name, possible)));
    throw InputError(fmt::format(
        "layers cannot exchange tensors in memory '{}' of '{}': {}; {}", name, accelerator.name,
        obstacle_to_exchange(accelerator, static_cast<std::size_t>(index)),
        possible.empty() ? "no memory can" : fmt::format("possible: {}", fmt::join(possible, ", "))));
  }
  std::vector<int> found;
  for (const std::string& name : possible)
    if (wanted.empty() || among(wanted, name)) found.push_back(accelerator.memory_index(name));
  return found;
}

}  // namespace zz::core
