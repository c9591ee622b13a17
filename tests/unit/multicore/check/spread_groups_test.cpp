#include <doctest/doctest.h>

#include "core/multicore/check/violations.hpp"
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
