#include "core/multicore/schedule/layer_figures.hpp"

#include "core/multicore/schedule/exchanges.hpp"

namespace zz::core {

std::vector<LayerFigures> figures_of_layers(const Schedule& schedule) {
  std::vector<LayerFigures> layers(schedule.graph->layers.size());
  const std::vector<const CoreCost*> costs = costs_of_nodes(schedule);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const ScheduledNode& scheduled = schedule.nodes[i];
    LayerFigures& layer = layers[static_cast<std::size_t>(schedule.graph->nodes[scheduled.node].layer)];
    layer.latency += scheduled.end - scheduled.start;
    if (costs[i] != nullptr) layer.energy += costs[i]->onchip_energy + costs[i]->offchip_energy;
  }
  return layers;
}

}  // namespace zz::core
