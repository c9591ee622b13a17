#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/workload.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The cost of a layer by itself.
struct LayerCost {
  core::Evaluation all;
  /// The same as one layer's; where a sum of one layer comes from below, its part. May be null.
  std::shared_ptr<const core::Evaluation> own;
};

/// Opens the chain below the stage for each layer alone, in a workload of its own that says `stored`. One
/// cost for each. Throws where a layer has several results, or none; but with `reasons`, which are then as
/// many as layers, those say why there is none ("" where there is one).
std::vector<LayerCost> cost_of_each(const Stage& stage, const Value& ctx,
                                    const std::vector<std::shared_ptr<const core::Layer>>& layers,
                                    const std::optional<core::StoredData>& stored,
                                    std::vector<std::string>* reasons = nullptr);

/// The evaluations of single layers in what came with a sum of several, as SumStage hands it up.
std::vector<std::shared_ptr<const core::Evaluation>> parts_of_sum(const Value& extra);

/// A workload of these layers alone, as if nothing came from others.
core::Workload alone(const std::shared_ptr<const core::Layer>& layer,
                     const std::optional<core::StoredData>& stored);

}  // namespace zz::plugins
