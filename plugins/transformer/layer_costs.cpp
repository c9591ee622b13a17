#include "plugins/transformer/layer_costs.hpp"

#include <cstdint>
#include <fmt/format.h>

#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

/// The evaluation of the only layer of a sum, from the pairs that SumStage hands up; null: there is none.
std::shared_ptr<const core::Evaluation> only_part(const Value& extra) {
  const auto parts = parts_of_sum(extra);
  return parts.size() == 1 ? parts.front() : nullptr;
}

}  // namespace

core::Workload alone(const std::shared_ptr<const core::Layer>& layer,
                     const std::optional<core::StoredData>& stored) {
  core::Workload workload;
  workload.stored = stored;
  workload.name = layer->name;
  workload.layers = {layer};
  workload.node_order = {layer->id};
  return workload;
}

std::vector<std::shared_ptr<const core::Evaluation>> parts_of_sum(const Value& extra) {
  std::vector<std::shared_ptr<const core::Evaluation>> parts;
  if (extra.kind() != ZZ_LIST) return parts;
  for (uint32_t i = 0; i < extra.size(); ++i) {
    const Ref pair = extra.at(i);
    if (pair.kind() != ZZ_LIST || pair.size() == 0) return {};
    parts.push_back(object_or_null<core::Evaluation>(extra.hold(pair.at(0))));
    if (parts.back() == nullptr) return {};
  }
  return parts;
}

std::vector<LayerCost> cost_of_each(const Stage& stage, const Value& ctx,
                                    const std::vector<std::shared_ptr<const core::Layer>>& layers,
                                    const std::optional<core::StoredData>& stored,
                                    std::vector<std::string>* reasons) {
  Progress display = stage.progress("different layers", layers.size());
  auto runs = stage.ordered(
      static_cast<uint32_t>(layers.size()),
      [&](uint32_t i) {
        return with(ctx, {{"workload"_n, wrap(alone(layers[i], stored))}});
      },
      &display, reasons != nullptr ? AfterFailure::go_on : AfterFailure::stop);
  std::vector<LayerCost> costs;
  if (reasons != nullptr) reasons->assign(layers.size(), "");
  const auto nothing = [&] {
    return Error(ZZ_E_NO_RESULT, fmt::format("no result for layer '{}'", layers[costs.size()]->name));
  };
  for (Result result;;) {
    try {
      if (!runs.next(result)) break;
    } catch (const Below& failure) {
      if (reasons == nullptr || failure.code != ZZ_E_NO_RESULT) throw;
      if (runs.index() > costs.size()) throw nothing();
      // It may come behind a result of its layer, which then counts as failed.
      costs.resize(runs.index());
      costs.emplace_back();
      (*reasons)[runs.index()] = failure.what();
      continue;
    }
    if (runs.index() > costs.size()) throw nothing();
    if (runs.index() < costs.size()) {
      throw Error(ZZ_E_INVALID,
                  fmt::format("a second result of layer '{}' comes from below; write a reducer such as "
                              "MinimalLatencyStage, which keeps one mapping of each layer",
                              layers[runs.index()]->name));
    }
    const auto cost = object_or_null<core::Evaluation>(result.evaluation);
    if (cost == nullptr) throw Error(ZZ_E_TYPE, "what comes from below is no evaluation");
    costs.push_back({*cost, cost->is_sum() ? only_part(result.extra) : cost});
  }
  if (costs.size() < layers.size()) throw nothing();
  stage.count("different layers", layers.size());
  return costs;
}

}  // namespace zz::plugins
