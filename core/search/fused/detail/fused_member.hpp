#pragma once
#include <cstddef>

#include "core/search/fused/detail/fused_join.hpp"
#include "core/search/fused/fused_mapping.hpp"

namespace zz::core {

/// A layer in no group, with its own mapping.
FusedLayer on_its_own(const UnrolledLayer& layer);

/// The layer `index` of the network as a member of its group, with the nest that a join has chosen; or with
/// this one below the shared loops, whose homes hold the whole tiles of what is kept or exchanged.
/// `homes`: of the join, memories of the array.
FusedLayer member_of_group(const FusedNetwork& network, std::size_t index, const std::vector<int>& homes,
                           const LayerMenu& menu, const JoinedLayers::Layer& joined,
                           const SharedLists& lists, const CompactMapping* below = nullptr);

}  // namespace zz::core
