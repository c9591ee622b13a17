#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// What sets a limit to a loop on an array dimension: an operand in a memory next to the units.
struct UnrollingLimit {
  std::string_view memory, operand;
  std::string means;  ///< "32 bits a cycle are 1 word of O"
};

/// The sentences about an unrolling that a user prescribed and that is not done as prescribed. They are
/// worded here only, so that they are the same wherever it is found. Each begins with the layer, which
/// equal warnings of several layers do not repeat, and ends with who prescribed it:
///
///     layer 'conv': D1 has 2 units, OX 4 is cut to 2 (mapping entry 'default')
class UnrollingNotes {
 public:
  /// Adds to `sentences`, which must outlive this object, as must the layer.
  UnrollingNotes(const Layer& layer, const Accelerator& accelerator, std::vector<std::string>& sentences);

  /// `loop` as prescribed; `to`: what is left of its factor.
  void array_is_smaller(const ArrayDimension& array, const SpatialLoop& loop, std::int64_t to);
  void loop_is_shorter(const std::string& array, const SpatialLoop& loop);
  void loop_is_missing(const std::string& array, const SpatialLoop& loop);
  void memory_limits(const std::string& array, const SpatialLoop& loop, std::int64_t to,
                     const UnrollingLimit& limit);
  /// The loops of an array dimension are more than its units together; `left_out` goes.
  void array_is_full(const ArrayDimension& array, const std::vector<SpatialLoop>& loops,
                     const std::string& left_out);
  /// A loop is unrolled on several array dimensions, `total` times, more often than it has iterations; that
  /// on `array` goes.
  void loop_is_used_up(const std::string& array, const SpatialLoop& loop, std::int64_t total);

 private:
  void add(const std::string& what);

  const Layer& layer_;
  std::string place_;
  std::vector<std::string>& sentences_;
};

}  // namespace zz::core
