#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

TemporalMapping CompactMappings::mapping(std::size_t row) const {
  const CompactMapping& compact = rows.at(row);
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

const TemporalMapping& CompactMappings::cached_mapping(std::size_t row) const {
  const std::scoped_lock lock(mutex_);
  cache_.resize(rows.size());
  if (!cache_[row]) cache_[row] = std::make_unique<TemporalMapping>(mapping(row));
  return *cache_[row];
}

}  // namespace zz::core
