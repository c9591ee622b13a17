#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/search/fused/fused_network.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

// Which layers may be fused with which, as the setting `groups` of OptimalFusedMappingStage says. Functions
// throw ZZ_E_INVALID for a value that cannot be.

/// The set of a layer that may be fused with no other (core::NetworkLayer::set).
inline constexpr int alone = -1;

/// Why a layer can be in no group; "" when it can.
std::string reason_to_stay_alone(const PlacedLayers& placed, std::size_t index);

/// A setting that is a list of names.
std::vector<std::string> texts_in(Ref list, const char* setting);

/// By layer the number of its set, or `alone`.
std::vector<int> chosen_sets(const Value& groups, const PlacedLayers& placed);

/// Throws for layers of one list between which nothing can stay on chip, whatever is searched.
/// `exchange_memories`: memories of the accelerator that may be the exchange memory.
void check_lists(const core::FusedNetwork& network, const core::Accelerator& accelerator,
                 const std::vector<int>& exchange_memories);

}  // namespace zz::plugins
