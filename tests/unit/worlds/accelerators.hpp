#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/hardware/multi_core_accelerator.hpp"

/// Small accelerators. Sizes and widths are in bits.
namespace zz::test {

/// A memory with one port for each direction of each operand. Every port moves words of `word` bits, and
/// an access costs 1.
core::Memory memory(const std::string& name, std::int64_t size, std::vector<std::string> operands,
                    std::vector<std::string> served = {}, std::int64_t word = 8);

/// A memory with one port of `narrowest` to `widest` bits for all transfers: inputs come from above,
/// outputs move both ways. An access costs 1.
core::Memory one_port_memory(const std::string& name, std::int64_t size, std::vector<std::string> operands,
                             std::vector<std::string> served = {}, std::int64_t narrowest = 8,
                             std::int64_t widest = 64);

/// An array of the given sizes, D1 first, whose units need 1 pJ, with memories from the array outwards.
core::Accelerator accelerator_with(const std::string& name, const std::vector<std::int64_t>& sizes,
                                   std::vector<core::Memory> memories);

/// A 2 x 2 array; registers for weights (per unit) and outputs (along D1), a shared buffer, and a memory
/// for all. Every access moves one word of `word` bits.
core::Accelerator small_accelerator(std::int64_t register_bits, std::int64_t buffer_bits,
                                    std::int64_t word);

/// An array of the given sizes with a register per unit for weights and outputs, and a memory for all units
/// that is wide enough for each of them.
core::Accelerator array_of(const std::vector<std::int64_t>& sizes);

/// Cells, a register for inputs along the wordlines, one for sums along the bitlines, and a memory for all.
core::Accelerator imc_accelerator(const core::ImcProperties& properties, std::int64_t wordlines,
                                  std::int64_t bitlines, std::int64_t cell_bits);

/// Cores with one memory each, which holds all operands; the last one is off-chip. Nothing joins them.
core::MultiCoreAccelerator cores_with_memories(const std::vector<std::int64_t>& sizes);

}  // namespace zz::test
