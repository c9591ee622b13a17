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
                     [](const FusedOperand& of) { return of.role == FusedOperand::Role::brought; });
}

/// Gives the layers from `first` to `last` their own mappings if the promised value is then at most
/// `factor` times what it is.
void try_own(FusedOptimum& found, const FusedGroup& layers, Objective objective, double factor) {
  const auto each = [&](const auto& use) {
    for (int layer = layers.first; layer <= layers.last; ++layer) use(static_cast<std::size_t>(layer));
  };
  const auto as_it_was = [&](std::size_t layer) -> const MappedLayer& {
    return *found.network.layers[layer].by_itself;
  };
  double energy = found.energy;
  each([&](std::size_t layer) { energy += as_it_was(layer).energy - found.mapping.layers[layer].energy; });
  if (objective == Objective::energy && !(energy < found.energy * factor)) return;
  FusedLatency latency = found.latency;
  each([&](std::size_t layer) {
    const auto of = [&](const FusedLayer& member) {
      return fused_latency(found.network, static_cast<int>(layer), member);
    };
    latency -= of(found.mapping.layers[layer]);
    latency += of(on_its_own(as_it_was(layer)));
  });
  if (!(value_of(objective, energy, latency.promised) < found.promised(objective) * factor)) return;
  FusedOptimum own = found;
  each([&](std::size_t layer) {
    own.network.layers[layer].shorten();
    own.mapping.layers[layer] = on_its_own(as_it_was(layer));
  });
  own.energy = energy;
  own.latency = latency;
  if (fused_violations(own.network, own.mapping).empty()) found = std::move(own);
}

}  // namespace

void prefer_own_mappings(FusedOptimum& found, Objective objective, bool single) {
  for (const FusedGroup& group : groups_of(found.network, found.mapping))
    try_own(found, group, objective, 1 + rounding_tolerance);
  for (int layer = 0; layer < found.mapping.layers.count() && single; ++layer)
    if (is_alone(found.mapping.layers[layer])) try_own(found, {layer, layer}, objective, 1);
}

}  // namespace zz::core
