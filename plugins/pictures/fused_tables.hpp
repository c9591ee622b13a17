#pragma once
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"
#include "plugins/pictures/picture.hpp"

namespace zz::core {

/// Of the picture of fused groups: the layers of all distinct ones, the loops that they share, results that
/// stay on chip with their tiles, and what the home holds while each layer runs. There is a group.
VegaTables fused_tables(const FusedNetwork& network, const FusedMapping& mapping);

}  // namespace zz::core
