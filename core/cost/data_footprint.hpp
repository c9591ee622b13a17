#pragma once
#include <array>
#include <cstdint>

#include "core/cost/cost_tables.hpp"
#include "core/cost/loop_cycles.hpp"

namespace zz::core {

/// The data that one unit at each architecture level holds, for one of the two unrollings. Nothing is said
/// of levels that the operand does not have.
struct OperandData {
  std::array<double, max_memory_levels> elements;
  std::array<double, max_memory_levels> precision;  ///< bits per element
  std::array<double, max_memory_levels> bits;
  /// Without what the outermost relevant run replaces.
  std::array<double, max_memory_levels> effective_bits;
};

struct DataFootprint {
  std::array<OperandData, max_operands> operands;
  /// Of the output: partial sums are still incomplete above this architecture level.
  std::array<bool, max_memory_levels> partial_sum{};
  /// Of the output: how often an element crosses the lower side of this architecture level.
  std::array<double, max_memory_levels + 2> accumulations{};

  DataFootprint(const CostTables& tables, const SpatialTables& unrolling, const CompactMapping& mapping,
                const LoopCycles& cycles);

  /// The same with nothing but what concerns one operand filled in, at the architecture levels up to one,
  /// and without effective bits.
  static DataFootprint of_operand(const CostTables& tables, const SpatialTables& unrolling,
                                  const CompactMapping& mapping, int operand, int highest_level);

 private:
  DataFootprint() = default;
  void follow_partial_sums(const CostTables& tables, const SpatialTable& unrolling,
                           const CompactMapping& mapping);
  void measure(const CostTables& tables, int index, const SpatialTable& unrolling,
               const CompactMapping& mapping, int highest_level);
};

}  // namespace zz::core
