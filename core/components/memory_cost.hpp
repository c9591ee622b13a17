#pragma once
#include <string>
#include <vector>

#include "core/components/component_cost.hpp"
#include "core/components/technology.hpp"

namespace zz::core::components {

/// A memory of one port that reads and writes.
struct MemoryComponent {
  double size = 0;   ///< bits
  double width = 0;  ///< bits of an access
  double node = 22;  ///< nm
  Transistors transistors = Transistors::high_performance;
};

/// In bits.
inline constexpr double smallest_sram = 512;
inline constexpr double largest_sram = 8589934592;  // 1 GiB

/// An SRAM of one bank, by closed forms fitted to CACTI 7 (tools/fit_components): 1 KB to 4 MB, 32 to 512
/// bits, 22 to 90 nm. Wider ones are memories of 512 bits side by side, other sizes and widths go on with
/// the slope at the edge, up to 1 GiB. Below 22 nm figures are scaled, and below 16 nm drawn to what was
/// published at 7 nm (anchor_source): 64 bits of 8 KiB, 32 KiB and 1 MiB take 7.5, 8.5 and 14 pJ, and 128
/// MiB are 28 % of a die of 400 mm2; what scaling gives is then the low end. Throws InputError for what is
/// out of range. Below a microsecond. [any thread]
ComponentCost sram_cost(const MemoryComponent& question);

/// Registers with a multiplexer, for less than an SRAM's smallest size: the energy of the bits of an
/// access, times a power of the number of words. Leakage and access time are not known. Throws InputError.
/// [any thread]
ComponentCost register_file_cost(const MemoryComponent& question);

/// DRAM by interface, from a table of energies of a bit; the node does not count. There is no area on the
/// chip; leakage (refresh) and access time are not known. Throws InputError. [any thread]
ComponentCost dram_cost(const std::string& interface, double width);

/// "ddr3", "ddr4", ...
const std::vector<std::string>& dram_interfaces();

}  // namespace zz::core::components
