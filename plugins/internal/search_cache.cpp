#include "plugins/internal/search_cache.hpp"

#include <algorithm>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

template <class T>
const T& look(const Value& context, Name key) {
  return *borrowed<T>(context[key]);
}

/// Searches of one key are likely to be the same. The accelerator counts by identity, since a context that
/// is kept keeps it alive.
std::uint64_t key_of(const Value& context) {
  const core::Layer& layer = look<core::Layer>(context, "layer"_n);
  std::uint64_t key = reinterpret_cast<std::uintptr_t>(&look<core::Accelerator>(context, "accelerator"_n));
  const auto add = [&key](std::int64_t number) {
    key = key * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(number);
  };
  for (const core::LoopDimension& loop : layer.loops) add(loop.size);
  for (const core::ArrayUnrolling& dimension : layer.mapping.spatial_mapping.dimensions) {
    for (const core::SpatialLoop& loop : dimension.loops) add(loop.factor);
  }
  return key;
}

bool same_for_search(const Value& a, const Value& b) {
  const auto* unrolling_a = borrowed<core::SpatialMapping>(a["spatial_mapping"_n]);
  const auto* unrolling_b = borrowed<core::SpatialMapping>(b["spatial_mapping"_n]);
  // A stage that searches spatial mappings as well has none yet.
  const bool same_unrolling = unrolling_a == nullptr || unrolling_b == nullptr
                                  ? unrolling_a == unrolling_b
                                  : *unrolling_a == *unrolling_b;
  return same_unrolling &&
         core::same_work(look<core::Layer>(a, "layer"_n), look<core::Layer>(b, "layer"_n));
}

}  // namespace

std::vector<Value> SearchCache::Search::mappings() const {
  std::vector<Value> values;
  for (const core::TemporalMapping& mapping : chosen) values.push_back(wrap(mapping));
  return values;
}

std::shared_ptr<const SearchCache::Search> SearchCache::find(const Stage& stage, const Value& context) {
  std::vector<std::shared_ptr<const Search>> likely;
  {
    const std::lock_guard lock(mutex_);
    const auto found = searches_.find(key_of(context));
    if (found == searches_.end()) return nullptr;
    likely = found->second;
  }
  for (const auto& search : likely) {
    if (same_for_search(context, search->context) &&
        stage.same_scores(context, search->context, "temporal_mapping"_n))
      return search;
  }
  return nullptr;
}

void SearchCache::add(std::shared_ptr<const Search> search) {
  const std::lock_guard lock(mutex_);
  if (count_ == most_searches) {
    searches_.clear();
    count_ = 0;
  }
  ++count_;
  searches_[key_of(search->context)].push_back(std::move(search));
}

}  // namespace zz::plugins
