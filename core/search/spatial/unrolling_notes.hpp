#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Limit to a loop on an array dimension: an operand in a memory next to the units.
struct UnrollingLimit {
  std::string_view memory, operand;
  std::string means;  ///< "32 bits a cycle are 1 word of O"
};

/// The sentences about an unrolling that a user prescribed and that is not done as prescribed. They are
/// worded here only, so that they are the same wherever it is found. Each begins with the place in the
/// file, where it is known, and the layer, and ends with who prescribed it. What loops of the layer lack is
/// one sentence, and stands with the layer: one entry may serve a whole network, and equal warnings of
/// several layers do not repeat what follows it.
///
///     map.yaml:3:5: warning: layer 'conv': D1 has 2 units, OX 4 is cut to 2 (mapping entry 'default')
///     map.yaml:4:5: warning: layer 'conv' (K has 6 iterations, K 8 on D2 is cut to 6): the unrolling is
///       fitted to the loops of each layer (mapping entry 'default')
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
  std::string sentence(const std::string& array, const std::string& of_layer,
                       const std::string& what) const;
  void add(const std::string& array, const std::string& what);
  void fit(const std::string& array, const SpatialLoop& loop, const std::string& why,
           const std::string& result);

  /// Fate of a prescribed loop, for want of loops or iterations.
  struct Fitted {
    std::string array;
    SpatialLoop loop;  ///< as prescribed
    std::string what;
  };

  const Layer& layer_;
  bool from_dataflows_;
  std::string who_;
  std::vector<std::string>& sentences_;
  std::vector<Fitted> fitted_;
  std::string told_;  ///< the sentence about these
};

}  // namespace zz::core
