#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz;

namespace {

core::CoreCostPlan plan_for(core::MultiCoreAccelerator accelerator, core::ComputationNodeGraph graph) {
  return core::CoreCostPlan(std::make_shared<core::MultiCoreAccelerator>(std::move(accelerator)),
                            std::make_shared<core::ComputationNodeGraph>(std::move(graph)), core::Rules{});
}

core::ComputationNodeGraph with_candidates(std::vector<std::int64_t> cores) {
  core::ComputationNodeGraph graph = test::small_graph_of_products(2);
  core::Layer tile = *graph.layers[0].piece;
  tile.mapping.core_allocation = std::move(cores);
  graph.layers[0].piece = std::make_shared<core::Layer>(tile);
  return graph;
}

std::vector<std::shared_ptr<const core::Evaluation>> answers_to(const core::CoreCostPlan& plan) {
  std::vector<std::shared_ptr<const core::Evaluation>> answers;
  for (const core::CoreCostQuestion& question : plan.questions())
    answers.push_back(test::answer(question, 6, false));
  return answers;
}

std::string refusal(const core::MultiCoreAccelerator& accelerator,
                    const core::ComputationNodeGraph& graph) {
  try {
    plan_for(accelerator, graph);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("equal layers on equal cores are one question, and each layer is told of itself") {
  core::ComputationNodeGraph graph = test::small_graph_of_products(2);
  core::Layer twin = *graph.layers[1].piece;
  twin.operands[2].constant = true;
  graph.layers[1].piece = std::make_shared<core::Layer>(twin);
  const core::CoreCostPlan plan = plan_for(test::two_small_cores(4096), std::move(graph));
  REQUIRE(plan.questions().size() == 1);
  const core::CoreCosts costs = plan.costs(answers_to(plan));
  REQUIRE(costs.layers.size() == 2);
  for (int layer : {0, 1}) {
    for (int core : {0, 1}) {
      const core::CoreCost* cost = costs.find(layer, 0, core);
      REQUIRE(cost != nullptr);
      CHECK(cost->evaluation->layer->id == 3 * layer);
      CHECK(cost->runtime == costs.find(0, 0, 0)->runtime);
      CHECK(cost->streamed.empty());
      CHECK(cost->offchip_energy == 0);
      CHECK(cost->onchip_energy == cost->evaluation->energy_total);
    }
  }
  CHECK(costs.find(0, 0, 2) == nullptr);
}

TEST_CASE("what streams is charged to the off-chip memory, in bits that move") {
  const core::CoreCostPlan plan = plan_for(test::two_small_cores(1024 + 128), with_candidates({0}));
  const core::CoreCosts costs = plan.costs(answers_to(plan));
  const core::CoreCost& cost = *costs.find(0, 0, 0);
  CHECK(cost.streamed == std::vector{1});
  CHECK(cost.offchip_energy == cost.evaluation->operands[1].levels.back().energy);
  CHECK(cost.onchip_energy + cost.offchip_energy == doctest::Approx(cost.evaluation->energy_total));
  CHECK(cost.stream_read_bits >= 1024);
  CHECK(cost.stream_read_bits == cost.offchip_energy * 64);  // 1 pJ for 64 bits
  CHECK(cost.stream_write_bits == 0);
  CHECK(cost.evaluation->accelerator->memories.back().name == "dram");
}

TEST_CASE("the operands of a core that is too small stream with the need of the largest node") {
  // The second layer's last node reads two tensors of 256 bits: 512 + 1024 + 512 bits in all.
  const core::CoreCostPlan plan = plan_for(test::two_small_cores(2047), test::small_graph_of_products(2));
  const core::CoreCosts costs = plan.costs(answers_to(plan));
  CHECK(costs.find(1, 0, 0)->streamed == std::vector{1});
}

TEST_CASE("a smaller last piece has costs of its own, on the cores of the others") {
  test::NetworkBuilder network;
  core::Layer layer = test::product(0, 10);
  layer.operands[2].constant = true;
  network.add(layer);
  core::SplitOptions options;
  options.loops = {{"D", 4}};  // 3, 3, 3 and 1 row
  const core::ComputationNodeGraph graph = test::split(network.workload(), options);
  core::MultiCoreAccelerator accelerator = test::two_small_cores(1 << 16);
  core::Accelerator other = *accelerator.cores[1];
  other.name = "other";
  accelerator.cores[1] = std::make_shared<core::Accelerator>(other);
  const core::CoreCostPlan plan = plan_for(std::move(accelerator), graph);
  REQUIRE(plan.questions().size() == 4);
  auto answers = answers_to(plan);
  const core::CoreCosts costs = plan.costs(answers);
  REQUIRE(costs.layers[0].smaller.size() == 1);
  for (const int core : {0, 1}) {
    CHECK(costs.find(graph.nodes[2], core) == costs.find(0, 0, core));
    const core::CoreCost* last = costs.find(graph.nodes[3], core);
    REQUIRE(last == costs.find(0, 1, core));
    CHECK(last->runtime < costs.find(0, 0, core)->runtime);
    CHECK(last->onchip_energy < costs.find(0, 0, core)->onchip_energy);
    CHECK(last->evaluation->layer->loop_size("D") == 1);
  }
  // A core that cannot run the last piece runs none of the others.
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (plan.questions()[i].layer->loop_size("D") == 1 && plan.questions()[i].accelerator->name == "other")
      answers[i] = nullptr;
  const core::CoreCosts without = plan.costs(answers);
  CHECK(without.find(0, 0, 1) == nullptr);
  CHECK(without.find(0, 0, 0) != nullptr);
  CHECK(without.layers[0].smaller[0].on.size() == 1);
}

TEST_CASE("candidates that cannot run a layer are named with the cores that there are") {
  const std::string missing = refusal(test::two_small_cores(4096), with_candidates({0, 7}));
  CHECK(missing.find("layer 'product0': core_allocation names core 7") != std::string::npos);
  CHECK(missing.find("0 ('small'), 1 ('small'), 2 ('offchip')") != std::string::npos);
  const std::string without_units = refusal(test::two_small_cores(4096), with_candidates({2}));
  CHECK(without_units.find("core 2 ('offchip'), which has no units") != std::string::npos);
  CHECK(refusal(test::two_small_cores(4096), with_candidates({})).find("no core may run it") !=
        std::string::npos);
}

TEST_CASE("a node that fits nowhere is refused with its size") {
  core::MultiCoreAccelerator alone = test::two_small_cores(1024);
  alone.offchip_core.reset();
  CHECK(refusal(alone, with_candidates({0})).find("has no off-chip core to stream it from") !=
        std::string::npos);
  core::MultiCoreAccelerator tiny = test::two_small_cores(1024);
  core::Accelerator dram = *tiny.cores[2];
  dram.memories[0].size = 600;
  tiny.cores[2] = std::make_shared<core::Accelerator>(dram);
  CHECK(refusal(tiny, with_candidates({0})).find("nor into the off-chip memory (600 bits)") !=
        std::string::npos);
}

TEST_CASE("a core without a mapping is no candidate, and a layer without one has no result") {
  core::ComputationNodeGraph graph = with_candidates({0, 1});
  core::MultiCoreAccelerator accelerator = test::two_small_cores(4096);
  core::Accelerator other = *accelerator.cores[1];
  other.name = "other";
  accelerator.cores[1] = std::make_shared<core::Accelerator>(other);
  const core::CoreCostPlan plan = plan_for(std::move(accelerator), std::move(graph));
  auto answers = answers_to(plan);
  std::vector<std::string> reasons(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (plan.questions()[i].where != "layer 'product0' on core 0 ('small')") continue;
    answers[i] = nullptr;
    reasons[i] = "no loop order fits";
  }
  const core::CoreCosts costs = plan.costs(answers, reasons);
  CHECK(costs.find(0, 0, 0) == nullptr);
  CHECK(costs.find(0, 0, 1) != nullptr);
  answers.assign(answers.size(), nullptr);
  CHECK_THROWS_WITH_AS(
      plan.costs(answers, reasons),
      "layer 'product0': its nodes cannot be mapped on core 0 ('small'), nor on any other candidate: "
      "no loop order fits",
      core::NoResult);
}
