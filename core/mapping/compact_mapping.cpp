#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

TemporalMapping CompactMappings::mapping(const CompactMapping& compact) const {
  TemporalMapping mapping;
  mapping.type = type;
  mapping.loops.reserve(static_cast<std::size_t>(compact.loops));
  mapping.operands.reserve(operands.size());
  for (int loop = 0; loop < compact.loops; ++loop) {
    mapping.loops.push_back({dimensions[compact.dimension[loop]], compact.size[loop]});
  }
  for (std::size_t operand = 0; operand < operands.size(); ++operand) {
    OperandTemporalMapping cuts{operands[operand], {}, {}};
    const auto& allocated = compact.allocated[operand];
    const auto& stationary = compact.stationary[operand];
    cuts.allocated.assign(allocated.begin(), allocated.begin() + levels[operand]);
    cuts.stationary.assign(stationary.begin(), stationary.begin() + levels[operand]);
    mapping.operands.push_back(std::move(cuts));
  }
  return mapping;
}

}  // namespace zz::core
