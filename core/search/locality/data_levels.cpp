#include "core/search/locality/data_levels.hpp"

#include <algorithm>

namespace zz::core {

const LayerDataLevels* DataLevels::find(std::int64_t layer) const {
  const auto found = std::find_if(layers.begin(), layers.end(),
                                  [&](const LayerDataLevels& entry) { return entry.layer == layer; });
  return found == layers.end() ? nullptr : &*found;
}

}  // namespace zz::core
