#include "core/multicore/search/detail/lockstep_plans.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/multicore/check/violations.hpp"
#include "core/multicore/search/detail/first_cuts.hpp"
#include "core/multicore/search/detail/menu_cuts.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/searches.hpp"

// Starts of a search where each slice of constants goes once to all cores.

using namespace zz;

namespace {

/// Two layers whose weights are twice as large as a core's buffer, on the four cores of one kind.
struct Prefill {
  test::ShippedCase shipped{"small_cnn.yaml", "systolic_quad_core"};
  core::Workload workload;
  core::ScheduleSearchOptions options;
  core::CutMenus menus;

  explicit Prefill(std::int64_t rows) {
    test::NetworkBuilder network;
    for (const int id : {0, 1}) {
      core::Layer layer = test::conv_layer(id, {.k = 1024, .c = 1024, .oy = rows, .iy = rows}, id - 1);
      for (core::LayerOperand& operand : layer.operands)
        if (operand.name == "W") operand.precision = 16;
      layer.mapping.core_allocation = {0, 1, 2, 3};
      network.add(layer);
    }
    workload = network.workload();
    menus = core::first_cuts(workload, options, 4).menus;
  }

  std::vector<core::Partition> partitions(int most_nodes) {
    return core::lockstep_partitions(workload, *shipped.accelerator, options, most_nodes, menus);
  }
};

}  // namespace

TEST_CASE("lockstep_plans: weights that no core can hold cross the off-chip link once") {
  Prefill prefill(64);
  const std::vector<core::Partition> partitions = prefill.partitions(3000);
  REQUIRE(partitions.size() == 3);
  core::PartitionGraphs graphs(prefill.workload, prefill.shipped.accelerator, prefill.menus);
  core::CutPrices prices(prefill.shipped.accelerator, test::default_answers());
  core::price_menus(graphs, prices, test::on_threads(2));
  const core::ParallelFor parallel = test::on_threads(1);
  core::MenuCuts cuts(graphs, prefill.shipped.accelerator, prices, parallel, core::Objective::latency);
  const int offchip = *prefill.shipped.accelerator->offchip_core;
  for (core::Plan& plan : core::lockstep_plans(graphs, *prefill.shipped.accelerator, partitions)) {
    core::PlanTask task{&plan};
    cuts.prepare({&task}, core::Costs::first);
    std::string reason;
    REQUIRE(task.prepared->evaluate(plan, 1e300, reason).feasible);
    for (const core::DispatchRule rule : {core::DispatchRule::rank, core::DispatchRule::earliest_start,
                                          core::DispatchRule::critical_path}) {
      core::ScheduleChoice choice = plan.order;
      choice.dispatch = rule;
      choice.cores = core::cores_of(plan, *task.prepared->problem);
      const core::Schedule schedule = core::Scheduler(task.prepared->problem).schedule(choice);
      for (const core::Violation& violation : core::find_violations(schedule, 3)) {
        const std::string text = violation.rule + ": " + violation.what;
        FAIL_CHECK(text);
      }
      const core::ComputationNodeGraph& graph = *task.prepared->problem->graph();
      std::map<int, int> crossings;
      for (const core::Transfer& transfer : schedule.transfers)
        if (transfer.sender == offchip && graph.tensors[transfer.tensor].operand != 0 &&
            !transfer.own.empty() && transfer.own.front() == 1)
          ++crossings[transfer.tensor];
      CHECK(crossings.size() > 8);
      for (const auto& [tensor, count] : crossings) CHECK(count == 1);
    }
  }
}

TEST_CASE("lockstep_plans: there is none for few rows, small weights, too few nodes or several samples") {
  CHECK(Prefill(16).partitions(3000).empty());
  CHECK(Prefill(64).partitions(8).empty());
  Prefill batch(64);
  batch.options.samples = 2;
  CHECK(batch.partitions(3000).empty());
  Prefill small(64);
  const core::CutMenus before = core::first_cuts(small.shipped.workload, small.options, 4).menus;
  core::CutMenus menus = before;
  CHECK(core::lockstep_partitions(small.shipped.workload, *small.shipped.accelerator, small.options, 3000,
                                  menus)
            .empty());
  CHECK(menus == before);
}
