#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zz::core {

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
