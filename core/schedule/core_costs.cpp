#include "core/schedule/core_costs.hpp"

namespace zz::core {

const CoreCost* CoreCosts::find(int layer, int core) const {
  for (const CoreCost& cost : layers[static_cast<std::size_t>(layer)].on)
    if (cost.core == core) return &cost;
  return nullptr;
}

}  // namespace zz::core
