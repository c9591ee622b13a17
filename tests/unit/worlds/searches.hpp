#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/workload/workload.hpp"

/// Networks on several cores with all that a search over their schedules needs.
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

/// A network of configs/workloads on an accelerator for several cores of configs/accelerators, with data of
/// a byte.
struct ShippedCase {
  ShippedCase(const std::string& network, const std::string& accelerator_name);

  core::Workload workload;
  std::shared_ptr<const core::MultiCoreAccelerator> accelerator;
};

/// The default findings of the stages of IntraCoreMappingStage, asked of the core directly.
std::shared_ptr<const core::Evaluation> answer(const core::CoreCostQuestion& question, int factor_limit,
                                               bool as_stream);

/// The answer that this process has found for the same work on the same core, or a new one.
std::shared_ptr<const core::Evaluation> known_answer(const core::CoreCostQuestion& question,
                                                     int factor_limit);

/// Answers as the stages of IntraCoreMappingStage do by default.
core::AnswerQuestions default_answers();

/// Runs everything on so many threads; 1: in the caller's.
inline core::ParallelFor on_threads(int threads) {
  return [threads](std::size_t count, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    const auto run = [&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(run);
    run();
    for (std::thread& other : others) other.join();
  };
}

}  // namespace zz::test
