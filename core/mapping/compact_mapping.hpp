#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/mapping/temporal_mapping.hpp"

namespace zz::core {

class LoopLattice;
class BestOrderSearch;

/// Bounds of the index tables in the hot path. Inputs beyond them are refused with a message.
inline constexpr int max_temporal_loops = 48;
inline constexpr int max_memory_levels = 12;  ///< of one operand
inline constexpr int max_operands = 3;
inline constexpr int max_loop_dimensions = 24;  ///< of one layer

/// One allocated loop order without any text: what the search writes and the cost model reads.
struct CompactMapping {
  int loops = 0;
  std::array<std::uint8_t, max_temporal_loops> dimension{};  ///< index into Layer::loops, innermost first
  std::array<std::uint8_t, max_temporal_loops> kind{};       ///< of the lattice, where there is one
  std::array<std::int64_t, max_temporal_loops> size{};
  /// Cuts per operand (equation order) and memory level, as in OperandTemporalMapping.
  std::array<std::array<std::uint8_t, max_memory_levels>, max_operands> allocated{};
  std::array<std::array<std::uint8_t, max_memory_levels>, max_operands> stationary{};
};

/// A list of temporal mappings of one layer in compact form. Read as a value it is a list of
/// "temporal_mapping" objects, made when they are looked at.
class CompactMappings {
 public:
  std::vector<std::string> dimensions;  ///< names for CompactMapping::dimension
  std::vector<std::string> operands;    ///< equation order
  std::vector<int> levels;              ///< memories of each operand
  MappingType type = MappingType::uneven;
  std::vector<CompactMapping> rows;
  /// All rows are orders of its loops, each with its kind. Null: nothing is known of them.
  std::shared_ptr<const LoopLattice> lattice;
  /// Of a batch without rows: a question to whoever scores it, who may carry the search out by itself.
  std::shared_ptr<BestOrderSearch> search;

  TemporalMapping mapping(std::size_t row) const;
  /// The same as an object that lives as long as the batch. Thread-safe.
  const TemporalMapping& cached_mapping(std::size_t row) const;
  /// To be called when `rows` change; objects that cached_mapping() gave are gone then.
  void forget_cached() { cache_.clear(); }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<TemporalMapping>> cache_;
};

}  // namespace zz::core
