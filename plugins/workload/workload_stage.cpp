#include "plugins/workload/workload_stage.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/layer_fit.hpp"
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
  const core::Layer* fits = nullptr;
  for (const auto& layer : layers) {
    if (fits != nullptr && core::fit_alike(*layer, *fits)) continue;
    try {
      core::check_layer_fits(*layer, accelerator);
      fits = layer.get();
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

/// Splits the layers into runs of neighbours in which no name comes twice, also when names are compared as
/// savers write them into file names; gives the length of each run.
std::vector<uint32_t> groups_of_distinct_names(
    const std::vector<std::shared_ptr<const core::Layer>>& layers) {
  std::vector<uint32_t> sizes;
  std::set<std::string> names;
  for (const auto& layer : layers) {
    std::string name = layer->name;
    std::replace(name.begin(), name.end(), '/', '_');
    const bool known = !names.insert(name).second;
    if (known || sizes.empty()) {
      names = {name};
      sizes.push_back(0);
    }
    ++sizes.back();
  }
  return sizes;
}

}  // namespace

Results WorkloadStage::run(Value ctx) {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  std::vector<std::shared_ptr<const core::Layer>> layers;
  std::vector<std::shared_ptr<const core::Layer>> left_out;
  for (auto& layer : workload->layers_in_order())
    (can_map(*layer, *accelerator) ? layers : left_out).push_back(std::move(layer));
  report_what_has_no_cost(*workload, left_out);

  if (layers.empty()) {
    log(Level::warning, "no layer has a cost: energy and latency of the network are 0");
    co_yield Result(sum({}));
    co_return;
  }

  check_all_fit(layers, *accelerator);

  std::vector<Value> mapped;
  for (const auto& layer : layers) mapped.push_back(wrap(layer));
  Progress display = progress("layers", mapped.size());
  const auto context_of = [&](uint32_t i) { return with(ctx, {{"layer"_n, mapped[i]}}); };
  // Layers of one name share their result files: the last one must be the last to write.
  const std::vector<uint32_t> groups = groups_of_distinct_names(layers);
  uint32_t first = 0;
  for (const uint32_t size : groups) {
    auto runs = ordered(
        size, [&](uint32_t i) { return context_of(first + i); }, &display);
    for (Result result; runs.next(result);) {
      const Value extra = make(nullptr, list({mapped[first + runs.index()], result.extra}));
      co_yield Result(std::move(result.evaluation), extra);
    }
    first += size;
  }
  count("layers", mapped.size());
}

void WorkloadStage::report_what_has_no_cost(
    const core::Workload& workload, const std::vector<std::shared_ptr<const core::Layer>>& left_out) {
  if (reported_.exchange(true)) return;
  if (!workload.pass_through.empty()) {
    log(Level::info, operators_without_cost(workload));
    count("operators without cost", workload.pass_through.size());
  }
  if (!left_out.empty()) {
    log(Level::info, layers_left_out(workload, left_out));
    count("layers left out", left_out.size());
  }
}

}  // namespace zz::plugins
