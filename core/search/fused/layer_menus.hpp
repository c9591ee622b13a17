#pragma once
#include <cstddef>
#include <vector>

#include "core/search/fused/fused_network.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"

namespace zz::core {

/// Gives each layer that may exchange tensors a menu: up to `most` unrollings besides its own, of least
/// bound in turn with nothing exchanged and with all exchanged that it can leave or find in each of these
/// homes (unrolling_menu()). `options`: those by which layers were mapped_alone(); where their limits of
/// time end it, the others have none.
void add_menus(FusedNetwork& network, const std::vector<int>& homes, const JointOptions& options,
               std::size_t most);

}  // namespace zz::core
