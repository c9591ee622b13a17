#include "plugins/other_tools/level_stack.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include "core/hardware/accelerator_check.hpp"

namespace zz::plugins {
namespace {

constexpr std::int64_t unlimited_size = std::int64_t{1} << 50;
constexpr std::size_t most_fanouts = 9;

class MemoryPorts {
 public:
  MemoryPorts(const StackMemory& memory, const std::vector<std::string>& fed)
      : memory_(memory), fed_(fed) {}

  std::vector<core::Port> build() {
    if (memory_.shared_port && memory_.read_bits) {
      core::Port both = port(core::PortType::read_write, memory_.read_bits);
      for (const core::Direction direction :
           {core::Direction::read_to_low, core::Direction::write_from_low, core::Direction::read_to_high,
            core::Direction::write_from_high})
        for (const std::string& operand : memory_.operands)
          if (moves(operand, direction)) both.allocation.push_back({operand, direction});
      return {both};
    }
    add(core::PortType::read, memory_.read_bits, core::Direction::read_to_low,
        core::Direction::read_to_high);
    add(core::PortType::write, memory_.write_bits, core::Direction::write_from_high,
        core::Direction::write_from_low);
    return std::move(ports_);
  }

 private:
  /// One port for all operands where the bandwidth is told, else one for each transfer.
  void add(core::PortType type, const std::optional<std::int64_t>& bits, core::Direction of_inputs,
           core::Direction of_output) {
    core::Port shared = port(type, bits);
    for (const std::string& operand : memory_.operands) {
      for (const core::Direction direction : {of_inputs, of_output}) {
        if (!moves(operand, direction)) continue;
        if (!bits) {
          ports_.push_back(port(type, bits));
          ports_.back().allocation = {{operand, direction}};
        } else {
          shared.allocation.push_back({operand, direction});
        }
      }
    }
    if (!shared.allocation.empty()) ports_.push_back(std::move(shared));
  }

  /// Inputs go down, results both ways; nothing goes above the topmost memory of an operand.
  bool moves(const std::string& operand, core::Direction direction) const {
    return (operand == "O" || !core::is_upwards(direction)) &&
           (!is_at_upper_side(direction) || is_fed(operand));
  }

  static bool is_at_upper_side(core::Direction direction) {
    return direction == core::Direction::read_to_high || direction == core::Direction::write_from_high;
  }

  bool is_fed(const std::string& operand) const {
    return std::find(fed_.begin(), fed_.end(), operand) != fed_.end();
  }

  core::Port port(core::PortType type, const std::optional<std::int64_t>& bits) {
    core::Port made;
    made.name = fmt::format("{}_port_{}",
                            type == core::PortType::read    ? "r"
                            : type == core::PortType::write ? "w"
                                                            : "rw",
                            ++count_);
    made.type = type;
    made.bandwidth_max = bits.value_or(memory_.free_bits.value_or(memory_.access_bits));
    made.bandwidth_min = std::min(memory_.access_bits, made.bandwidth_max);
    return made;
  }

  const StackMemory& memory_;
  const std::vector<std::string>& fed_;  // operands that a memory further out has, too
  std::vector<core::Port> ports_;
  int count_ = 0;
};

core::Memory memory_of(const StackMemory& memory, const std::vector<std::string>& fed) {
  core::Memory made;
  made.name = memory.name;
  made.memory_type = memory.memory_type;
  made.size = memory.bits.value_or(unlimited_size);
  made.latency = 1;
  made.operands = memory.operands;
  made.formats = memory.formats;
  made.ports = MemoryPorts(memory, fed).build();
  // Costs are those of as many bits as a port moves in a cycle.
  const auto of_port = [&](double cost, const std::optional<std::int64_t>& bits) {
    return cost * static_cast<double>(bits.value_or(memory.free_bits.value_or(memory.access_bits))) /
           static_cast<double>(memory.access_bits);
  };
  made.read_cost = of_port(memory.read_cost, memory.read_bits);
  made.write_cost = of_port(memory.write_cost, memory.write_bits);
  return made;
}

}  // namespace

core::Accelerator accelerator_of(const LevelStack& stack) {
  core::Accelerator made;
  made.name = stack.name;
  made.array.unit_energy = stack.unit_energy;
  made.array.on_zero = stack.on_zero;
  made.array.skip_together = stack.on_zero.empty();
  core::Diagnostics problems;
  std::vector<std::string> fed;
  std::vector<std::size_t> outside;  // fanouts outside of each memory
  for (const StackLevel& level : stack.levels) {
    if (level.fanout) {
      if (level.fanout->count < 2) continue;
      if (made.array.dimensions.size() == most_fanouts) {
        problems.error(level.mark, fmt::format("'{}' is one fanout too many", level.fanout->name),
                       fmt::format("at most {} are expected", most_fanouts));
        break;
      }
      made.array.dimensions.push_back(
          {fmt::format("D{}", made.array.dimensions.size() + 1), level.fanout->count});
    } else if (level.memory && !level.memory->operands.empty()) {
      made.memories.push_back(memory_of(*level.memory, fed));
      outside.push_back(made.array.dimensions.size());
      fed.insert(fed.end(), level.memory->operands.begin(), level.memory->operands.end());
    }
  }
  if (made.array.dimensions.empty()) made.array.dimensions = {{"D1", 1}};
  for (const char* operand : {"I1", "I2", "O"})
    if (std::find(fed.begin(), fed.end(), operand) == fed.end())
      problems.error(stack.mark, fmt::format("no memory keeps the operand {}", operand),
                     "the outermost memory keeps all operands");
  problems.throw_if_errors();
  for (std::size_t i = 0; i < made.memories.size(); ++i)
    for (std::size_t dimension = outside[i]; dimension < made.array.dimensions.size(); ++dimension)
      made.memories[i].served_dimensions.push_back(made.array.dimensions[dimension].name);
  std::reverse(made.memories.begin(), made.memories.end());
  made.validate();
  return made;
}

}  // namespace zz::plugins
