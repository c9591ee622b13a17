#pragma once
#include <array>
#include <span>

#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

/// The ways in which one operand can use a memory: with `first + i` loops more than it holds below, it
/// takes bits[i] there and leaves traffic[i] for the memories above.
struct MemoryShares {
  int held = 0;  ///< loops below
  int first = 0;
  int count = 0;
  bool falling = true;  ///< more loops never leave more traffic, after rounding
  std::array<double, max_temporal_loops + 1> bits;
  std::array<double, max_temporal_loops + 1> traffic;  ///< bits times the iterations of the loops above
};

/// Chooses one of the shares of each operand: of all combinations that fit into the memory, the one that
/// leaves least traffic, and of equally good ones the one with most loops of the first operands. `further`
/// becomes the loops that each operand takes. False: no combination fits.
bool share_memory(std::span<const MemoryShares> shares, double capacity, MappingType type,
                  std::array<int, max_operands>& further);

}  // namespace zz::core
