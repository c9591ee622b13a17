#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/mapping/temporal_mapping.hpp"

namespace zz::core {

class LoopLattice;

/// Bounds of the index tables in the hot path. Inputs beyond them are refused with a message.
inline constexpr int max_temporal_loops = 48;
inline constexpr int max_memory_levels = 12;  ///< of one operand
inline constexpr int max_operands = 3;
inline constexpr int max_loop_dimensions = 24;  ///< of one layer

/// One allocated loop order in numbers. Searches write it and the cost model reads it.
struct CompactMapping {
  int loops = 0;
  std::array<std::uint8_t, max_temporal_loops> dimension{};  ///< index into Layer::loops, innermost first
  std::array<std::uint8_t, max_temporal_loops> kind{};       ///< of the lattice, where there is one
  std::array<std::int64_t, max_temporal_loops> size{};
  /// Cuts per operand (equation order) and memory level, as in OperandTemporalMapping.
  std::array<std::array<std::uint8_t, max_memory_levels>, max_operands> allocated{};
  std::array<std::array<std::uint8_t, max_memory_levels>, max_operands> stationary{};

  /// Loops below the lower boundary of an operand's architecture level: 0 are the units, level m + 1 lies
  /// above memory m. The cost model uses these.
  int loops_below(int operand, int level) const { return level > 0 ? stationary[operand][level - 1] : 0; }
};

/// Temporal mappings of one layer in compact form, with the names for their numbers.
struct CompactMappings {
  std::vector<std::string> dimensions;  ///< names for CompactMapping::dimension
  std::vector<std::string> operands;    ///< equation order
  std::vector<int> levels;              ///< memories of each operand
  MappingType type = MappingType::uneven;
  std::vector<CompactMapping> rows;
  /// All rows are orders of its loops, each with its kind. Null: nothing is known of them.
  std::shared_ptr<const LoopLattice> lattice;

  TemporalMapping mapping(const CompactMapping& row) const;
  TemporalMapping mapping(std::size_t row) const { return mapping(rows.at(row)); }
};

}  // namespace zz::core
