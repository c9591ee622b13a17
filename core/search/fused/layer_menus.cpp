#include "core/search/fused/layer_menus.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "core/search/fused/fused_mapping.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/unrolling_menu.hpp"

namespace zz::core {
namespace {

/// What the layer may exchange in the home.
std::vector<ExchangedOperand> exchangeable(const FusedNetwork& network, std::size_t index, int home) {
  const UnrolledLayer& layer = network.layers[index];
  std::vector<ExchangedOperand> operands;
  if (layer.set < 0) return operands;
  for (int operand = 0; operand < static_cast<int>(layer.layer->operands.size()); ++operand)
    if (may_exchange(network, index, operand, home))
      operands.push_back({layer.problem.layer->memory_operand(operand), home});
  return operands;
}

}  // namespace

void add_menus(FusedNetwork& network, const std::vector<int>& homes, const JointOptions& options,
               std::size_t most) {
  const ProcessorTime stopwatch;
  std::vector<std::vector<std::vector<ExchangedOperand>>> exchanged;  // by layer and home
  for (std::size_t index = 0; index < network.layers.size(); ++index) {
    UnrolledLayer& layer = network.layers[index];
    layer.menu.clear();
    exchanged.emplace_back();
    for (const int home : homes) exchanged[index].push_back(exchangeable(network, index, home));
    const auto same = [&](std::size_t earlier) {
      const UnrolledLayer& known = network.layers[earlier];
      return exchanged[earlier] == exchanged[index] && known.unrolling == layer.unrolling &&
             known.problem.accelerator == layer.problem.accelerator &&
             same_work(*known.layer, *layer.layer);
    };
    std::size_t earlier = 0;
    while (earlier < index && !same(earlier)) ++earlier;
    if (earlier < index) {
      layer.menu = network.layers[earlier].menu;
      continue;
    }
    std::vector<std::shared_ptr<const Accelerator>> seen = {layer.problem.accelerator};
    for (std::size_t home = 0; home < homes.size(); ++home)
      if (!exchanged[index][home].empty())
        seen.push_back(seen_in_group(layer, exchanged[index][home]).accelerator);
    if (seen.size() > 1 && !options.limits.stop(stopwatch.seconds(), 0))
      layer.menu = unrolling_menu(*layer.layer, layer.unrolling, seen, options, most);
  }
}

}  // namespace zz::core
