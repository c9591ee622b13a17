#include "core/search/fused/detail/own_mappings.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/search/fused/detail/fused_member.hpp"
#include "core/search/fused/fused_check.hpp"

namespace zz::core {
namespace {

bool is_alone(const FusedLayer& layer) {
  return layer.shared.empty() &&
         std::all_of(layer.operands.begin(), layer.operands.end(),
                     [](const FusedOperand& of) { return of.place == FusedOperand::Place::brought; });
}

/// Gives the layers from `first` to `last` their own mappings if the value is then at most `factor` times
/// what it is.
void try_own(FusedOptimum& found, const FusedGroup& layers, Objective objective, double factor) {
  const auto each = [&](const auto& use) {
    for (int layer = layers.first; layer <= layers.last; ++layer) use(static_cast<std::size_t>(layer));
  };
  double energy = found.energy, latency = found.latency.evaluated;
  each([&](std::size_t layer) {
    energy += found.network.layers[layer].energy - found.mapping.layers[layer].energy;
    latency += found.network.layers[layer].latency - found.mapping.layers[layer].latency;
  });
  if (!(value_of(objective, energy, latency) <
        value_of(objective, found.energy, found.latency.evaluated) * factor))
    return;
  FusedOptimum own = found;
  each([&](std::size_t layer) {
    UnrolledLayer& unrolled = own.network.layers[layer];
    if (unrolled.enlarged_from) unrolled = UnrolledLayer(*unrolled.enlarged_from);
    FusedLayer& member = own.mapping.layers[layer];
    const int at = static_cast<int>(layer), home = found.mapping.home;
    own.latency -= fused_latency(found.network, at, member, home);
    member = on_its_own(unrolled);
    own.latency += fused_latency(own.network, at, member, home);
  });
  own.energy = energy;
  if (fused_violations(own.network, own.mapping).empty()) found = std::move(own);
}

}  // namespace

void prefer_own_mappings(FusedOptimum& found, Objective objective, bool single) {
  for (const FusedGroup& group : groups_of(found.network, found.mapping))
    try_own(found, group, objective, 1 + rounding_tolerance);
  for (int layer = 0; layer < static_cast<int>(found.mapping.layers.size()) && single; ++layer)
    if (is_alone(found.mapping.layers[static_cast<std::size_t>(layer)]))
      try_own(found, {layer, layer}, objective, 1);
}

}  // namespace zz::core
