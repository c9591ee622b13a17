#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct UnrolledFactor {
  int dimension;  ///< index into Layer::loops
  double factor;
};

/// The unrolled loops of one operand by level, as OperandSpatialMapping lists them, without text.
class UnrolledLevels {
 public:
  UnrolledLevels() = default;
  /// Of at most max_memory_levels levels. Throws InputError where a loop is none of the layer.
  UnrolledLevels(const Layer& layer, const OperandSpatialMapping& mapping);

  std::size_t size() const { return levels_; }
  std::span<const UnrolledFactor> all() const { return loops_; }
  std::span<UnrolledFactor> all() { return loops_; }
  std::span<const UnrolledFactor> operator[](std::size_t level) const {
    const std::size_t begin = level == 0 ? 0 : ends_[level - 1];
    return {loops_.data() + begin, ends_[level] - begin};
  }

 private:
  std::vector<UnrolledFactor> loops_;  ///< of all levels
  std::array<std::uint32_t, max_memory_levels> ends_{};
  std::size_t levels_ = 0;
};

}  // namespace zz::core
