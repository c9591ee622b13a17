#include "plugins/workload/workload_stage.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/readers/layer_fit.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/workload/operators_without_cost.hpp"

namespace zz::plugins {
namespace {

bool can_map(const core::Layer& layer, const core::Accelerator& accelerator) {
  return !accelerator.array.imc || (layer.type != "Pooling" && layer.type != "Add");
}

/// Refuses layers that the memories cannot serve before any time is spent on the others.
void check_all_fit(const std::vector<std::shared_ptr<const core::Layer>>& layers,
                   const core::Accelerator& accelerator) {
  std::optional<core::InputError> first;
  std::size_t more = 0;
  for (const auto& layer : layers) {
    try {
      core::check_layer_fits(*layer, accelerator);
    } catch (const core::InputError& error) {
      if (first) ++more;
      if (!first) first = error;
    }
  }
  if (!first) return;
  std::string text = first->what();
  if (more > 0)
    text += "\n(and " + std::to_string(more) + " more of " + std::to_string(layers.size()) + " layers)";
  throw Error(ZZ_E_INVALID, text);
}

}  // namespace

Results WorkloadStage::run(Value ctx) {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  report_operators_without_cost(*workload);
  std::vector<std::shared_ptr<const core::Layer>> layers;
  for (auto& layer : workload->layers_in_order())
    if (can_map(*layer, *accelerator)) layers.push_back(std::move(layer));

  check_all_fit(layers, *accelerator);

  Progress display = progress("layers", layers.size());
  for (const auto& layer : layers) {
    if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped before layer '" + layer->name + "'");
    const Value mapped = wrap(layer);
    const Value below = with(ctx, {{"layer"_n, mapped}});
    for (Result& result : substage(below)) {
      const Value extra = make(nullptr, list({mapped, result.extra}));
      co_yield Result(std::move(result.evaluation), extra);
    }
    display.advance();
    count("layers");
  }
}

void WorkloadStage::report_operators_without_cost(const core::Workload& workload) {
  if (reported_.exchange(true)) return;
  if (workload.pass_through.empty()) return;
  log(Level::info, operators_without_cost(workload));
  count("operators without cost", workload.pass_through.size());
}

}  // namespace zz::plugins
