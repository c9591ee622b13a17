#include "core/mapping/spatial_mapping.hpp"

namespace zz::core {

const ArrayUnrolling* SpatialUnrolling::find(const std::string& array_dimension) const {
  for (const ArrayUnrolling& entry : dimensions) {
    if (entry.array_dimension == array_dimension) return &entry;
  }
  return nullptr;
}

}  // namespace zz::core
