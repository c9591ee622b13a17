#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::plugins {

/// Finds layers that do the same work without looking at each.
class DistinctLayers {
 public:
  /// `layers`, which outlives this, gets those that are different.
  explicit DistinctLayers(std::vector<std::shared_ptr<const core::Layer>>& layers) : layers_(layers) {}

  /// The index of a layer that does the work of this one. Where there is none it is added, with the index
  /// as its id and without sources: alone, a layer has no data from others.
  std::pair<std::uint32_t, bool> index_of(const std::shared_ptr<core::Layer>& layer);

 private:
  std::vector<std::shared_ptr<const core::Layer>>& layers_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known_;
};

}  // namespace zz::plugins
