#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/multicore/schedule/core_costs.hpp"

/// The costs of nodes on cores that were recorded from Stream, and what they were found for.
namespace zz::test {

/// The recorded cases that have costs, by name; empty when they are not beside the checkout.
std::vector<std::string> cases_with_costs();

struct RecordedCosts {
  explicit RecordedCosts(const std::string& name);

  nlohmann::json rows;  ///< "intra_core_costs" as recorded
  int factor_limit = 0;
  std::shared_ptr<const core::MultiCoreAccelerator> accelerator;
  /// Layers, their nodes and dependencies as recorded; the tensors have no ranges.
  std::shared_ptr<const core::ComputationNodeGraph> graph;
};

/// What the stages of IntraCoreMappingStage find by default, asked of the core directly.
std::shared_ptr<const core::Evaluation> answer(const core::CoreCostQuestion& question, int factor_limit,
                                               bool as_stream);

}  // namespace zz::test
