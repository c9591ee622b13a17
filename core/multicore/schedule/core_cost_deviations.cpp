#include "core/multicore/schedule/core_cost_deviations.hpp"

#include <algorithm>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/multicore/schedule/detail/offchip_level.hpp"

namespace zz::core {
namespace {

constexpr bool Rules::*rules_of_questions[] = {
    &Rules::fit_by_first_node, &Rules::offchip_serves_named_dimensions, &Rules::core_dataflow_only};

bool asks_alike(const CoreCostPlan& a, const CoreCostPlan& b, int layer) {
  const std::vector<int> asked = a.questions_about(layer), others = b.questions_about(layer);
  return std::equal(asked.begin(), asked.end(), others.begin(), others.end(), [&](int one, int other) {
    const CoreCostQuestion &x = a.questions()[one], &y = b.questions()[other];
    return *x.layer == *y.layer && *x.accelerator == *y.accelerator;
  });
}

/// A core that may run the layer has a topmost memory with the figures of the one off chip.
bool has_memory_like_offchip(const Layer& layer, const MultiCoreAccelerator& accelerator) {
  if (!accelerator.offchip_core) return false;
  const Memory& offchip = accelerator.cores[*accelerator.offchip_core]->memories.front();
  const std::vector<std::int64_t>& candidates = layer.mapping.core_allocation;
  return std::any_of(candidates.begin(), candidates.end(), [&](std::int64_t core) {
    const std::vector<Memory>& own = accelerator.cores[core]->memories;
    return std::any_of(own.begin(), own.end(),
                       [&](const Memory& memory) { return same_instance(memory, offchip); });
  });
}

}  // namespace

std::vector<LayerDeviation> deviations_of_core_costs(
    const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
    const std::shared_ptr<const ComputationNodeGraph>& graph, const Rules& rules,
    const CoreCostPlan& plan) {
  std::vector<LayerDeviation> deviations;
  const auto name = [&](int layer) { return graph->layers[layer].layer->name; };
  const int layers = static_cast<int>(graph->layers.size());
  for (bool Rules::*const rule : rules_of_questions) {
    Rules original = rules;
    if (std::exchange(original.*rule, true)) continue;
    try {
      const CoreCostPlan other(accelerator, graph, original);
      for (int layer = 0; layer < layers; ++layer)
        if (!asks_alike(plan, other, layer)) deviations.push_back({rule, name(layer)});
    } catch (const InputError&) {
      // Stream refuses these layers.
    }
  }
  for (int layer = 0; layer < layers && !rules.offchip_known_by_figures; ++layer)
    if (has_memory_like_offchip(*graph->layers[layer].piece, *accelerator))
      deviations.push_back({&Rules::offchip_known_by_figures, name(layer)});
  return deviations;
}

}  // namespace zz::core
