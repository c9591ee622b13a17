#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zz::core {

/// A loop unrolled in space. `factor` may be fractional: a loop of 7 on 4 units in two rounds occupies
/// 3.5 units on average.
struct UnrolledLoop {
  std::string dimension;
  double factor = 1;

  bool operator==(const UnrolledLoop&) const = default;
};

/// The unrolling of one layer operand, by level: levels[0] between the arithmetic units and the lowest
/// memory of the operand, levels[m] between its memories m-1 and m, the last one above the topmost
/// memory. So one list more than the operand has memories.
struct OperandSpatialMapping {
  std::string operand;
  std::vector<std::vector<UnrolledLoop>> levels;

  bool operator==(const OperandSpatialMapping&) const = default;
};

/// Spatial mapping of a layer on an accelerator, derived from a SpatialUnrolling. Made twice: with average
/// factors, by which all is counted, and with whole ones, rounded up; for ZigZag's latency they are cut.
struct SpatialMapping {
  std::vector<OperandSpatialMapping> operands;  ///< in equation order

  bool operator==(const SpatialMapping&) const = default;
};

/// A loop dimension spread over an array dimension `factor` times.
struct SpatialLoop {
  std::string dimension;
  std::int64_t factor = 1;

  bool operator==(const SpatialLoop&) const = default;
};

/// The loops that are unrolled along one dimension of the operational array, in order.
struct ArrayUnrolling {
  std::string array_dimension;  ///< "D1"
  std::vector<SpatialLoop> loops;

  bool operator==(const ArrayUnrolling&) const = default;
};

/// Spatial mapping as a user writes it: per array dimension, which loops are unrolled how often.
/// Array dimensions that are absent are left to the generator; present but empty ones stay empty.
struct SpatialUnrolling {
  std::vector<ArrayUnrolling> dimensions;

  bool operator==(const SpatialUnrolling&) const = default;
  const ArrayUnrolling* find(const std::string& array_dimension) const;
};

}  // namespace zz::core
