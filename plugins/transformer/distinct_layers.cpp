#include "plugins/transformer/distinct_layers.hpp"

namespace zz::plugins {

std::pair<std::uint32_t, bool> DistinctLayers::index_of(const std::shared_ptr<core::Layer>& layer) {
  std::uint64_t key = 0;
  for (const core::LoopDimension& loop : layer->loops)
    key = key * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(loop.size);
  std::vector<std::uint32_t>& likely = known_[key];
  for (const std::uint32_t index : likely)
    if (core::same_work(*layers_[index], *layer)) return {index, false};
  likely.push_back(static_cast<std::uint32_t>(layers_.size()));
  layer->id = static_cast<std::int64_t>(layers_.size());
  for (core::LayerOperand& operand : layer->operands) operand.sources.clear();
  layers_.push_back(layer);
  return {likely.back(), true};
}

}  // namespace zz::plugins
