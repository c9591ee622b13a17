#include "tests/unit/worlds/accelerators.hpp"

#include <memory>
#include <utility>

namespace zz::test {
namespace {

core::Memory without_ports(const std::string& name, std::int64_t size, std::vector<std::string> operands,
                           std::vector<std::string> served) {
  core::Memory result;
  result.name = name;
  result.size = size;
  result.read_cost = result.write_cost = 1;
  result.operands = std::move(operands);
  result.served_dimensions = std::move(served);
  return result;
}

}  // namespace

core::Memory memory(const std::string& name, std::int64_t size, std::vector<std::string> operands,
                    std::vector<std::string> served, std::int64_t word) {
  core::Memory result = without_ports(name, size, std::move(operands), std::move(served));
  for (const std::string& operand : result.operands) {
    for (int direction = 0; direction < core::direction_count; ++direction) {
      result.ports.push_back({operand + core::direction_codes[direction],
                              core::PortType::read_write,
                              word,
                              word,
                              {{operand, static_cast<core::Direction>(direction)}}});
    }
  }
  return result;
}

core::Memory one_port_memory(const std::string& name, std::int64_t size, std::vector<std::string> operands,
                             std::vector<std::string> served, std::int64_t narrowest, std::int64_t widest) {
  core::Memory result = without_ports(name, size, std::move(operands), std::move(served));
  core::Port port{"rw_port_1", core::PortType::read_write, narrowest, widest, {}};
  for (const std::string& operand : result.operands) {
    port.allocation.push_back({operand, core::Direction::write_from_high});
    port.allocation.push_back({operand, core::Direction::read_to_low});
    if (operand != "O") continue;
    port.allocation.push_back({operand, core::Direction::write_from_low});
    port.allocation.push_back({operand, core::Direction::read_to_high});
  }
  result.ports = {std::move(port)};
  return result;
}

core::Accelerator accelerator_with(const std::string& name, const std::vector<std::int64_t>& sizes,
                                   std::vector<core::Memory> memories) {
  core::Accelerator accelerator;
  accelerator.name = name;
  accelerator.array.unit_energy = 1;
  for (const std::int64_t size : sizes) {
    const std::size_t number = accelerator.array.dimensions.size() + 1;
    accelerator.array.dimensions.push_back({"D" + std::to_string(number), size});
  }
  accelerator.memories = std::move(memories);
  return accelerator;
}

core::Accelerator small_accelerator(std::int64_t register_bits, std::int64_t buffer_bits,
                                    std::int64_t word) {
  return accelerator_with("small", {2, 2},
                          {memory("weight_register", register_bits, {"I2"}, {}, word),
                           memory("output_register", register_bits, {"O"}, {"D1"}, word),
                           memory("buffer", buffer_bits, {"I1", "O"}, {"D1", "D2"}, word),
                           memory("dram", 1 << 30, {"I1", "I2", "O"}, {"D1", "D2"}, word)});
}

core::Accelerator array_of(const std::vector<std::int64_t>& sizes) {
  core::Accelerator accelerator = accelerator_with(
      "array", sizes,
      {memory("weight_register", 64, {"I2"}, {}, 64), memory("output_register", 64, {"O"}, {}, 64)});
  std::vector<std::string> all;
  for (const core::ArrayDimension& dimension : accelerator.array.dimensions) all.push_back(dimension.name);
  accelerator.memories.push_back(memory("memory", 1 << 30, {"I1", "I2", "O"}, all, 1 << 20));
  return accelerator;
}

core::Accelerator imc_accelerator(const core::ImcProperties& properties, std::int64_t wordlines,
                                  std::int64_t bitlines, std::int64_t cell_bits) {
  core::Accelerator accelerator = accelerator_with(
      "imc", {wordlines, bitlines},
      {one_port_memory("cells", cell_bits, {"I2"}, {}), one_port_memory("inputs", 8, {"I1"}, {"D1"}),
       one_port_memory("sums", 16, {"O"}, {"D2"}),
       one_port_memory("main", 1 << 24, {"I1", "I2", "O"}, {"D1", "D2"})});
  for (core::Memory& memory : accelerator.memories) memory.area = 0.25;
  accelerator.array.unit_energy = 0;  // arrays of cells have figures of their own
  accelerator.array.imc = properties;
  return accelerator;
}

core::MultiCoreAccelerator cores_with_memories(const std::vector<std::int64_t>& sizes) {
  core::MultiCoreAccelerator accelerator;
  accelerator.cores.assign(sizes.size(), std::make_shared<core::Accelerator>());
  accelerator.offchip_core = static_cast<int>(sizes.size()) - 1;
  for (int core = 0; core < static_cast<int>(sizes.size()); ++core) {
    core::TopMemory memory;
    memory.cores = {core};
    memory.operands = {"I1", "I2", "O"};
    memory.size = sizes[core];
    accelerator.top_memories.push_back(memory);
    accelerator.top_of.push_back({core, core, core});
    accelerator.cores_tops.push_back({core});
  }
  return accelerator;
}

}  // namespace zz::test
