#pragma once
#include <cstddef>

#include "core/search/fused/detail/fused_join.hpp"
#include "core/search/fused/fused_mapping.hpp"

namespace zz::core {

/// A layer in no group, with its own mapping.
FusedLayer on_its_own(const MappedLayer& layer);

/// The layer `index` of the network as a member of its group, with the nest that a join has chosen; or with
/// this one below the shared loops, whose exchange memory holds the whole tiles of what is kept or
/// exchanged. `exchange_memory`: of the join, a memory of the array.
FusedLayer member_of_group(const FusedNetwork& network, std::size_t index, int exchange_memory,
                           const LayerViews& views, const JoinedLayers::Layer& joined,
                           const SharedLists& lists, const CompactMapping* below = nullptr);

}  // namespace zz::core
