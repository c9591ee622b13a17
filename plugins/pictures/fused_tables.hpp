#pragma once
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"
#include "plugins/pictures/picture.hpp"

namespace zz::plugins {

/// Tables of the picture of fused groups: the layers of all distinct groups, the loops that they share,
/// results that stay in the exchange memory with their tiles, and what it holds while each layer runs.
/// REQUIRES: there is a group, and an exchange memory.
VegaTables fused_tables(const core::FusedNetwork& network, const core::FusedMapping& mapping);

}  // namespace zz::plugins
