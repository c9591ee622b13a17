#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/search/cut_prices.hpp"
#include "core/workload/workload.hpp"

namespace zz::test {

/// A network on several cores with cuts that compete, each with its costs as IntraCoreMappingStage finds
/// them.
struct PartitionSpace {
  core::Workload workload;
  std::shared_ptr<const core::MultiCoreAccelerator> accelerator;
  core::PricedMenus menu;

  /// `cuts` says which cuts of a layer compete; those with which the layer has no mapping are left out.
  PartitionSpace(core::Workload workload, core::MultiCoreAccelerator accelerator,
                 const std::function<std::vector<std::vector<core::CutLoop>>(const core::Layer&)>& cuts,
                 int factor_limit);

  core::ComputationNodeGraph graph(const std::vector<int>& partition) const;
  /// One cut of the menu for each layer.
  std::shared_ptr<const core::ScheduleProblem> problem(const std::vector<int>& partition) const;
};

/// Network, accelerator and mapping of the files; `lengths` are those that the network leaves open.
core::Workload workload_of(const std::string& path, const std::string& mapping_path,
                           const std::map<std::string, std::int64_t>& lengths = {});
core::MultiCoreAccelerator accelerator_of(const std::string& path);

/// The layer in one piece, each loop in each of the numbers of pieces, and pairs of these.
std::vector<std::vector<core::CutLoop>> cuts_of_loops(const core::Layer& layer,
                                                      const std::vector<std::int64_t>& pieces,
                                                      int most_nodes);

}  // namespace zz::test
