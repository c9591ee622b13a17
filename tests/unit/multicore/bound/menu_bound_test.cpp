#include "core/multicore/bound/menu_bound.hpp"

#include <doctest/doctest.h>
#include <limits>

#include "core/multicore/bound/detail/layer_needs.hpp"
#include "core/multicore/graph/split.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz;
using test::PartitionSpace;

namespace {

const std::string configs = ZZ_SOURCE_DIR "/configs/";

PartitionSpace space_of(const std::string& network, const std::string& cores,
                        const std::vector<std::int64_t>& pieces, int most_nodes) {
  const std::string mapping = configs + "mappings/" + cores + ".yaml";
  return {test::workload_of(configs + "workloads/" + network, mapping),
          test::accelerator_of(configs + "accelerators/" + cores + ".yaml"),
          [&](const core::Layer& layer) { return test::cuts_of_loops(layer, pieces, most_nodes); }, 4};
}

/// As the file says, but what is left to a core is too little for outputs, which always stream.
core::MultiCoreAccelerator with_little_memory(const std::string& path, int core) {
  core::MultiCoreAccelerator accelerator = test::accelerator_of(path);
  core::Accelerator little = *accelerator.cores[core];
  for (const int top : accelerator.cores_tops[core]) {
    for (core::Memory& memory : little.memories)
      if (memory.name == accelerator.top_memories[top].name) memory.size = 2048;
    accelerator.top_memories[top].size = 2048;
  }
  accelerator.cores[core] = std::make_shared<core::Accelerator>(little);
  return accelerator;
}

/// As the file says, but the links of the simd core carry so many bits a cycle.
core::MultiCoreAccelerator with_simd_links(const std::string& path, double bandwidth) {
  core::MultiCoreAccelerator accelerator = test::accelerator_of(path);
  for (core::Link& link : accelerator.links)
    if (link.sender == accelerator.simd_core || link.receiver == accelerator.simd_core)
      link.bandwidth = bandwidth;
  return accelerator;
}

core::ScheduleChoice random_choice(const core::ScheduleProblem& problem, core::RandomNumbers& random) {
  core::ScheduleChoice choice;
  const int first = random.below(8);  // often everything on one core, as far as that goes
  for (const core::Gene& gene : problem.genes()) {
    const int count = static_cast<int>(gene.cores.size());
    choice.cores.push_back(gene.cores[first < count ? first : random.below(count)]);
  }
  choice.dispatch = static_cast<core::DispatchRule>(random.below(3));
  choice.back_filling = random.below(2) == 1;
  return choice;
}

/// Returns how many schedules of random partitions, allocations and orders were made.
int compare(const PartitionSpace& space, int partitions, std::uint64_t seed) {
  const core::MenuBounds bounds = core::menu_bounds(space.workload, *space.accelerator, space.menu);
  CHECK(bounds.edp.value >= bounds.latency.value * bounds.energy.value * (1 - 1e-12));
  core::RandomNumbers random(seed, 0);
  int made = 0;
  for (int i = 0; i < partitions; ++i) {
    std::vector<int> partition;
    const bool alike = random.below(2) == 1;
    const int common = random.below(1 << 20);
    for (const auto& cuts : space.menu) {
      const int count = static_cast<int>(cuts.size());
      partition.push_back(alike ? common % count : random.below(count));
    }
    const auto problem = space.problem(partition);
    core::Scheduler scheduler(problem);
    for (int j = 0; j < 4; ++j) {
      const core::ScheduleFigures figures = scheduler.evaluate(random_choice(*problem, random));
      if (!figures.feasible) continue;
      ++made;
      CHECK(figures.latency >= bounds.latency.value);
      CHECK(figures.energy >= bounds.energy.value);
      CHECK(figures.latency * figures.energy >= bounds.edp.value);
    }
  }
  return made;
}

}  // namespace

TEST_CASE("partition bounds: no schedule of a random partition is below") {
  CHECK(compare(space_of("small_cnn.yaml", "heterogeneous_dual_core", {2, 3, 4, 7}, 24), 40, 1) > 100);
  CHECK(compare(space_of("small_cnn.yaml", "shared_buffer_dual_core", {2, 5, 16}, 16), 40, 2) > 100);
}

TEST_CASE("partition bounds: what always streams is fetched by its readers") {
  // The additions of the simd core are read by the pooling of core 1.
  const std::string cores = "heterogeneous_dual_core";
  const PartitionSpace space{
      test::workload_of(configs + "workloads/small_cnn.yaml", configs + "mappings/" + cores + ".yaml"),
      with_little_memory(configs + "accelerators/" + cores + ".yaml", 2),
      [&](const core::Layer& layer) {
        return test::cuts_of_loops(layer, {2, 3}, 6);
      },
      4};
  for (const core::PricedCut& cut : space.menu[3])
    for (const core::CoreCost& cost : cut.costs->on) CHECK(cost.streamed.front() == 0);
  CHECK(compare(space, 40, 9) > 100);
}

TEST_CASE("partition bounds: no schedule is below where the links of the simd core are narrow or free") {
  const std::string cores = "heterogeneous_dual_core";
  for (const double bandwidth : {2.0, 24.0, std::numeric_limits<double>::infinity()}) {
    const PartitionSpace space{
        test::workload_of(configs + "workloads/small_cnn.yaml", configs + "mappings/" + cores + ".yaml"),
        with_simd_links(configs + "accelerators/" + cores + ".yaml", bandwidth),
        [&](const core::Layer& layer) {
          return test::cuts_of_loops(layer, {2, 3, 7}, 12);
        },
        4};
    CHECK(compare(space, 20, 12) > 50);
  }
}

TEST_CASE(
    "partition bounds: constants that each piece streams count in full, though last pieces are small") {
  PartitionSpace space = space_of("small_cnn.yaml", "heterogeneous_dual_core", {3, 7}, 24);
  const core::Layer& classifier = *space.workload.layers[5];
  const int weights = classifier.operand_index("W");
  constexpr double bits_of_weights = 10 * 512 * 8;
  int uneven = 0;
  for (core::PricedCut& cut : space.menu[5]) {
    core::CoreCosts::OfLayer costs = *cut.costs;
    for (std::size_t shape = 0; shape < cut.shapes.size(); ++shape) {
      std::vector<core::CoreCost>& on = shape == 0 ? costs.on : costs.smaller[shape - 1].on;
      for (core::CoreCost& cost : on) {
        cost.streamed = {weights};
        cost.stream_read_bits = bits_of_weights * static_cast<double>(cut.shapes[shape].iterations) /
                                static_cast<double>(classifier.mac_count());
        if (shape > 0) cost.runtime = 1;  // far less than its share
      }
    }
    uneven += cut.shapes.size() > 1 ? 1 : 0;
    cut.costs = std::make_shared<const core::CoreCosts::OfLayer>(costs);
  }
  CHECK(uneven > 0);
  const core::MultiCoreAccelerator& accelerator = *space.accelerator;
  core::SplitOptions options;
  options.mode = core::split_by_layer;
  options.cut_entries = {{{0, 1, 2, 3, 4, 5}, {}}};
  std::vector<std::string> warnings;
  const core::ComputationNodeGraph whole =
      core::split_into_nodes(space.workload, accelerator, options, warnings);
  const core::LayerNeeds needs = core::layer_needs(space.workload, whole, accelerator, space.menu);
  for (const core::LayerOption& option : needs.options[5]) {
    const int link = accelerator.route(*accelerator.offchip_core, option.core).front();
    double busy = 0;
    for (const auto& [resource, cycles] : option.cycles)
      if (resource == needs.cores + link) busy = cycles;
    CHECK(busy >= bits_of_weights / accelerator.links[link].bandwidth * (1 - 1e-12));
  }
}

TEST_CASE("partition bounds: no schedule of thousands of random partitions is below" * doctest::skip()) {
  int made = 0;
  made +=
      compare(space_of("small_cnn.yaml", "heterogeneous_dual_core", {2, 3, 4, 5, 7, 8, 16}, 64), 800, 3);
  made += compare(space_of("small_cnn.yaml", "shared_buffer_dual_core", {2, 3, 4, 5, 8, 16}, 64), 800, 4);
  made += compare(space_of("transformer_encoder.onnx", "systolic_quad_core", {2, 4, 7, 16}, 16), 400, 5);
  made += compare(space_of("resnet18.onnx", "systolic_quad_core", {2, 3, 4, 7, 16, 28}, 56), 400, 6);
  made += compare(space_of("mobilenet_v2.onnx", "systolic_quad_core", {2, 7, 16, 28}, 28), 400, 7);
  CHECK(made >= 10000);
}

TEST_CASE("partition bounds: the weights of ResNet-18 keep the off-chip link busy") {
  const PartitionSpace space = space_of("resnet18.onnx", "systolic_quad_core", {4}, 4);
  const core::MenuBounds bounds = core::menu_bounds(space.workload, *space.accelerator, space.menu);
  CHECK(bounds.latency.value >= 1478805);  // weights, image and result; some layers have to stream as well
  CHECK(bounds.latency.limit.find("link") != std::string::npos);
  CHECK(bounds.energy.value > 3.6e9);
}
