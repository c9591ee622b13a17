#pragma once
#include "core/hardware/accelerator.hpp"

namespace zz::test {

/// Cells, a register for inputs along the wordlines, one for sums along the bitlines, and a memory for all.
inline core::Accelerator imc_accelerator(core::ImcProperties properties, std::int64_t wordlines,
                                         std::int64_t bitlines, std::int64_t cell_bits) {
  using core::Direction;
  using core::Port;
  using core::PortType;
  const auto memory = [](const char* name, std::int64_t size, std::vector<std::string> operands,
                         std::vector<std::string> served) {
    core::Memory made;
    made.name = name;
    made.size = size;
    made.read_cost = made.write_cost = 1;
    made.area = 0.25;
    made.operands = std::move(operands);
    made.served_dimensions = std::move(served);
    Port port{"rw_port_1", PortType::read_write, 8, 64, {}};
    for (const std::string& operand : made.operands) {
      for (const Direction direction : {Direction::read_to_low, Direction::write_from_high,
                                        Direction::write_from_low, Direction::read_to_high}) {
        port.allocation.push_back({operand, direction});
      }
    }
    made.ports = {port};
    return made;
  };
  core::Accelerator accelerator;
  accelerator.name = "imc";
  accelerator.memories = {memory("cells", cell_bits, {"I2"}, {}), memory("inputs", 8, {"I1"}, {"D1"}),
                          memory("sums", 16, {"O"}, {"D2"}),
                          memory("main", 1 << 24, {"I1", "I2", "O"}, {"D1", "D2"})};
  accelerator.array.dimensions = {{"D1", wordlines}, {"D2", bitlines}};
  accelerator.array.imc = properties;
  return accelerator;
}

}  // namespace zz::test
