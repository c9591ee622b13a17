#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/multicore/check/violations.hpp"
#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/searches.hpp"

// Pieces of a layer that read the same weights and may run on several cores.

using namespace zz;

TEST_CASE("spread: pieces are groups of their own unless they add up") {
  test::NetworkBuilder network;
  network.add(test::conv_layer(0, {.k = 6, .c = 4, .oy = 9, .ox = 9, .iy = 9, .ix = 9}, -1));
  core::SplitOptions options;
  const auto groups = [&](std::vector<core::CutLoop> loops) {
    options.loops = std::move(loops);
    const core::ComputationNodeGraph graph = test::split(network.workload(), options);
    CHECK(core::find_partition_violations(network.workload(), graph).empty());
    return graph.layers[0].group_count;
  };
  CHECK(groups({{"OY", 3}, {"K", 2}}) == 2);
  CHECK(groups({{"OY", 3, true}, {"K", 2}}) == 6);
  CHECK(groups({{"C", 2, true}, {"K", 2}}) == 2);
}

TEST_CASE("spread: schedules could happen") {
  const std::string configs = ZZ_SOURCE_DIR "/configs/", cores = "heterogeneous_dual_core.yaml";
  const test::PartitionSpace space(
      test::workload_of(configs + "workloads/small_cnn.yaml", configs + "mappings/" + cores),
      test::accelerator_of(configs + "accelerators/" + cores),
      [](const core::Layer& layer) {
        std::vector<std::vector<core::CutLoop>> cuts = test::cuts_of_loops(layer, {2, 4, 7}, 28);
        for (std::vector<core::CutLoop>& cut : cuts)
          for (core::CutLoop& loop : cut) loop.spread = true;
        return cuts;
      },
      4);
  core::RandomNumbers random(1, 0);
  int made = 0;
  for (int i = 0; i < 40; ++i) {
    std::vector<int> partition;
    for (const auto& cuts : space.menu) partition.push_back(random.below(static_cast<int>(cuts.size())));
    const auto problem = space.problem(partition);
    core::Scheduler scheduler(problem);
    for (int j = 0; j < 4; ++j) {
      core::ScheduleChoice choice;
      for (const core::Gene& gene : problem->genes())
        choice.cores.push_back(gene.cores[random.below(static_cast<int>(gene.cores.size()))]);
      choice.dispatch = static_cast<core::DispatchRule>(random.below(3));
      choice.back_filling = random.below(2) == 1;
      if (!scheduler.evaluate(choice).feasible) continue;
      ++made;
      for (const core::Violation& violation : core::find_violations(scheduler.schedule(choice), 3)) {
        const std::string text = violation.rule + ": " + violation.what;
        FAIL_CHECK(text);
      }
    }
  }
  CHECK(made > 100);
}

// Pieces of a layer in lockstep.

namespace {

/// 8 rows of inputs times weights of 16 channels, on two equal cores that hold an eighth of the weights.
core::ComputationNodeGraph graph_in_lockstep(const std::vector<core::CutLoop>& cut) {
  test::NetworkBuilder network;
  network.add(test::conv_layer(0, {.k = 16, .c = 4, .oy = 8, .ox = 9, .iy = 8, .ix = 9}, -1));
  core::SplitOptions options;
  options.loops = cut;
  return test::split(network.workload(), options);
}

}  // namespace

TEST_CASE("lockstep: groups follow each other, so that they get cores in turn") {
  const core::ComputationNodeGraph graph = graph_in_lockstep({{"K", 4}, {"OY", 2, true, true}});
  CHECK(graph.layers[0].group_count == 8);
  for (const core::ComputationNode& node : graph.nodes) {
    CHECK(node.group == node.sub_id % 4 * 2 + node.sub_id / 4);
  }
}

TEST_CASE("lockstep: a constant comes to all cores of a group in one transfer, and only then is it valid") {
  const std::string configs = ZZ_SOURCE_DIR "/configs/", cores = "heterogeneous_dual_core.yaml";
  const test::PartitionSpace space(
      test::workload_of(configs + "workloads/small_cnn.yaml", configs + "mappings/" + cores),
      test::accelerator_of(configs + "accelerators/" + cores),
      [](const core::Layer& layer) {
        std::vector<std::vector<core::CutLoop>> cuts{{}};
        const auto ready = [&](const std::string& loop) {
          return layer.loop_size(loop) >= 2 && layer.mapping.core_allocation.size() >= 2 &&
                 core::may_be_spread(layer, loop);
        };
        for (const std::string loop : {"OY", "OX"}) {
          if (!ready(loop)) continue;
          cuts.push_back({{loop, 2, true, true}});
          if (layer.loop_size("K") >= 4) cuts.push_back({{"K", 4}, {loop, 2, true, true}});
          if (layer.loop_size("K") >= 4 && layer.loop_size("C") >= 2)
            cuts.push_back({{"C", 2}, {"K", 4}, {loop, 2, true, true}});
        }
        return cuts;
      },
      4);
  core::RandomNumbers random(1, 0);
  int made = 0, broken = 0;
  for (int i = 0; i < 40; ++i) {
    std::vector<int> partition;
    for (const auto& cuts : space.menu) partition.push_back(random.below(static_cast<int>(cuts.size())));
    const auto problem = space.problem(partition);
    core::Scheduler scheduler(problem);
    for (int j = 0; j < 4; ++j) {
      core::ScheduleChoice choice;
      for (const core::Gene& gene : problem->genes())
        choice.cores.push_back(gene.cores[random.below(static_cast<int>(gene.cores.size()))]);
      choice.dispatch = static_cast<core::DispatchRule>(random.below(3));
      choice.back_filling = random.below(2) == 1;
      if (!scheduler.evaluate(choice).feasible) continue;
      ++made;
      core::Schedule schedule = scheduler.schedule(choice);
      for (const core::Violation& violation : core::find_violations(schedule, 3)) {
        const std::string text = violation.rule + ": " + violation.what;
        FAIL_CHECK(text);
      }
      // One arrival of a group later than the others.
      for (std::size_t k = 1; k < schedule.transfers.size(); ++k) {
        core::Transfer &a = schedule.transfers[k - 1], &b = schedule.transfers[k];
        if (a.tensor != b.tensor || a.start != b.start || a.nodes_before != b.nodes_before) continue;
        b.end += 1000;
        for (const core::Violation& violation : core::find_violations(schedule, 100))
          broken += violation.rule == "lockstep";
        break;
      }
    }
  }
  CHECK(made > 100);
  CHECK(broken > 0);
}

TEST_CASE("lockstep: what cannot be a group says which layer, and what would be one") {
  const auto refused = [](const std::vector<core::CutLoop>& cut, const std::string& compat, auto text) {
    test::NetworkBuilder network;
    core::Layer layer = test::conv_layer(0, {.k = 16, .c = 4, .oy = 8, .ox = 9, .iy = 8, .ix = 9}, -1);
    layer.mapping.core_allocation = {0, 1, 2, 3};
    network.add(layer);
    core::SplitOptions options;
    options.loops = cut;
    options.rules = core::rules_of(compat);
    CHECK_THROWS_WITH_AS(test::split(network.workload(), options), doctest::Contains(text),
                         core::InputError);
  };
  refused({{"K", 4, true, true}}, "", "layer 0");
  refused({{"K", 4, true, true}}, "", "has pieces that read different W");
  refused({{"C", 4, true, true}}, "", "add up to the same outputs");
  refused({{"OY", 5, true, true}}, "", "has 5 pieces, one for each core, but the layer may run on 4");
  refused({{"OY", 12, true, true}}, "", "asks for 12 cores, but there are 8 pieces");
  refused({{"OY", 4, true, true}}, "stream-0.0.8", "'compat' knows no groups in lockstep");
}
