#include "core/multicore/search/detail/segment_plans.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/multicore/check/violations.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/search/detail/first_cuts.hpp"
#include "core/multicore/search/detail/menu_cuts.hpp"
#include "core/multicore/search/detail/plan_moves.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/searches.hpp"

// Starts of a search over a batch: segments, and grids over all cores.

using namespace zz;

namespace {

std::string told(const std::vector<core::Violation>& violations) {
  return violations.empty() ? "" : violations.front().rule + ": " + violations.front().what;
}

/// The small CNN for four samples on four cores, with its menus and their costs.
struct Batch {
  static constexpr int samples = 4;
  test::ShippedCase shipped{"small_cnn.yaml", "systolic_quad_core"};
  core::ScheduleSearchOptions options;
  core::PartitionGraphs graphs;
  core::PlanSpace space;
  core::CutPrices prices;

  Batch()
      : options(options_of_batch()),
        graphs(shipped.workload, shipped.accelerator, core::first_cuts(shipped.workload, options, 4).menus,
               samples),
        space(graphs.layers(), graphs.cuts(), graphs.pairs(), 4, samples),
        prices(shipped.accelerator, test::default_answers()) {
    core::price_menus(graphs, prices, test::on_threads(2));
  }
  static core::ScheduleSearchOptions options_of_batch() {
    core::ScheduleSearchOptions options;
    options.samples = samples;
    options.most_nodes = 128;
    return options;
  }
};

}  // namespace

TEST_CASE("grid_cuts: a piece for each core, channels and spread positions") {
  const auto layer = test::conv_layer(0, {.k = 6, .c = 8, .oy = 5, .ox = 4, .iy = 5, .ix = 4}, -1);
  std::set<std::string> grids;
  for (const core::Cut& cut : core::grid_cuts(layer, 6, {"OX", "OY"}, {"K"})) {
    CHECK(core::pieces(cut, layer) == 6);
    CHECK(core::is_grid(cut, layer, 6));
    std::string text;
    for (const core::CutLoop& loop : cut) {
      CHECK(loop.spread == (loop.dimension != "K"));
      text += loop.dimension + std::to_string(*loop.count) + " ";
    }
    CHECK(grids.insert(text).second);
  }
  // Three columns make no three of four, and six rows are too many of five.
  CHECK(grids == std::set<std::string>{"K6 ", "OX2 K3 ", "OY2 K3 ", "OY3 K2 ", "OX2 OY3 "});
  CHECK_FALSE(core::is_grid({{"C", 6}}, layer, 6));
  CHECK_FALSE(core::is_grid({{"OX", 2}, {"K", 3}}, layer, 6));
}

TEST_CASE("segment_plans: each plan is a schedule that could happen, of all layers, on all cores") {
  Batch batch;
  std::vector<core::Plan> plans = core::segment_plans(batch.space, batch.graphs, batch.prices,
                                                      *batch.shipped.accelerator, batch.options.most_nodes);
  REQUIRE(!plans.empty());
  const core::ParallelFor parallel = test::on_threads(1);
  core::MenuCuts cuts(batch.graphs, batch.shipped.accelerator, batch.prices, parallel,
                      core::Objective::latency, Batch::samples);
  const int layers = static_cast<int>(batch.graphs.layers().size());
  for (core::Plan& plan : plans) {
    CHECK(static_cast<int>(plan.cuts.size()) == layers);
    CHECK(std::is_sorted(plan.order.segments.begin(), plan.order.segments.end()));
    for (const int begin : plan.order.segments) CHECK((begin > 0 && begin < layers));
    core::PlanTask task{&plan};
    cuts.prepare({&task}, core::Costs::first);
    std::string reason;
    REQUIRE(task.prepared->evaluate(plan, 1e300, reason).feasible);
    core::ScheduleChoice choice = plan.order;
    choice.cores = core::cores_of(plan, *task.prepared->problem);
    const core::Schedule schedule = core::Scheduler(task.prepared->problem).schedule(choice);
    CHECK(told(core::find_violations(schedule, 3)) == "");
    std::set<int> cores;
    for (const core::ScheduledNode& node : schedule.nodes) cores.insert(node.core);
    CHECK(cores.size() >= 4);
  }
}

TEST_CASE("segment_plans: moves keep segments in order, and grids are those of the menus") {
  Batch batch;
  const core::PlanSpace& neighbours = batch.space;
  REQUIRE(neighbours.in_order());
  core::RandomNumbers random(1, 0);
  core::PlanMoves moves(neighbours, random);
  core::Plan choice;
  const int layers = neighbours.layers();
  choice.cuts.assign(layers, 0);
  choice.cores.assign(layers, core::slots_alike(0));
  core::StepRoom room;
  room.most_nodes = batch.options.most_nodes;
  int grids = 0;
  std::set<std::size_t> counts;
  for (int step = 0; step < 300; ++step) {
    moves.change_segments(choice, {});
    counts.insert(choice.order.segments.size());
    CHECK(std::adjacent_find(choice.order.segments.begin(), choice.order.segments.end(),
                             std::greater_equal<>()) == choice.order.segments.end());
    for (const int begin : choice.order.segments) CHECK((begin > 0 && begin < layers));
    const core::Partition before = choice.cuts;
    if (!moves.change_grids(choice, room)) continue;
    ++grids;
    for (int layer = 0; layer < layers; ++layer)
      if (choice.cuts[layer] != before[layer])
        CHECK(core::is_grid(batch.graphs.cuts()[layer][choice.cuts[layer]], *batch.graphs.layers()[layer],
                            4));
  }
  CHECK(grids > 50);
  CHECK(counts.size() > 2);
}
