#include "core/cost/unrolled_levels.hpp"

#include <fmt/format.h>

#include "core/base/diagnostics.hpp"

namespace zz::core {

UnrolledLevels::UnrolledLevels(const Layer& layer, const OperandSpatialMapping& mapping) {
  for (const std::vector<UnrolledLoop>& level : mapping.levels) {
    for (const UnrolledLoop& loop : level) {
      const int dimension = layer.loop_index(loop.dimension);
      if (dimension < 0) {
        throw InputError(fmt::format("layer '{}' has no loop {}, which the spatial mapping unrolls",
                                     layer.name, loop.dimension));
      }
      loops_.push_back({dimension, loop.factor});
    }
    ends_[levels_++] = static_cast<std::uint32_t>(loops_.size());
  }
}

}  // namespace zz::core
