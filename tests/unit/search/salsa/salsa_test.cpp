#include "core/search/salsa/salsa.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

struct Problem {
  std::shared_ptr<const Layer> layer;
  std::shared_ptr<const Accelerator> accelerator;
  std::shared_ptr<const SpatialMapping> fractional, integral;
  std::shared_ptr<CostModel> model;

  Problem(Layer built, std::int64_t register_bits)
      : layer(std::make_shared<Layer>(std::move(built))),
        accelerator(std::make_shared<Accelerator>(small_accelerator(register_bits, 4096, 8))) {
    ConvertedSpatialMapping converted = convert_spatial_mapping(*layer, *accelerator, {});
    fractional = std::make_shared<SpatialMapping>(std::move(converted.fractional));
    integral = std::make_shared<SpatialMapping>(std::move(converted.integral));
    model = std::make_shared<CostModel>(accelerator, layer, fractional, integral, CostModelOptions{});
  }
  MappingCost energy() const {
    return [this](const CompactMapping& mapping) -> SalsaCost {
      const Score score = model->score(mapping);
      return {score.energy_total, score.latency_total2};
    };
  }
  Salsa annealing(std::int64_t iterations) const {
    SalsaOptions options;
    options.iterations = iterations;
    return {layer, accelerator, fractional, options};
  }
};

bool never() { return false; }

std::string names(const Layer& layer, const CompactMapping& mapping) {
  std::string text;
  for (int i = 0; i < mapping.loops; ++i)
    text += layer.loops[mapping.dimension[i]].name + std::to_string(mapping.size[i]);
  return text;
}

Layer ordered_gemm(std::int64_t m, std::int64_t n, std::int64_t c, std::vector<OrderingEntry> ordering) {
  Layer layer = gemm(m, n, c);
  layer.mapping.temporal_ordering = std::move(ordering);
  return layer;
}

}  // namespace

TEST_CASE("annealing: finds what full enumeration finds, and never anything better") {
  const Problem problem(gemm(8, 6, 4), 64);
  LomaOptions all;
  all.factor_limit = 0;
  Loma search(problem.layer, problem.accelerator, problem.fractional, all);
  double optimum = std::numeric_limits<double>::infinity();
  CompactMappings batch;
  while (!search.finished()) {
    search.next(batch, 100);
    for (const CompactMapping& row : batch.rows)
      optimum = std::min(optimum, problem.model->score(row).energy_total);
  }
  std::vector<Salsa::Outcome> outcomes;
  for (std::uint64_t number = 0; number < 8; ++number)
    outcomes.push_back(problem.annealing(500).anneal(1, number, problem.energy(), never));
  for (const auto& outcome : outcomes) CHECK(outcome.cost.criterion >= optimum);
  REQUIRE(Salsa::best(outcomes) != nullptr);
  CHECK(Salsa::best(outcomes)->cost.criterion == optimum);
}

TEST_CASE("annealing: one seed has one outcome, on every machine; other numbers and seeds have others") {
  const Problem problem(gemm(16, 12, 10), 64);
  const Salsa annealing = problem.annealing(20);
  const auto run = [&](std::uint64_t seed, std::uint64_t number) {
    const auto result = annealing.anneal(seed, number, problem.energy(), never);
    return names(*problem.layer, result.mapping) + " " + std::to_string(result.evaluations);
  };
  CHECK(run(1, 0) == run(1, 0));
  CHECK(run(1, 0) != run(1, 1));
  CHECK(run(1, 0) != run(2, 0));
}

TEST_CASE("annealing: what does not fit is rejected, and a space without anything that fits has a reason") {
  // Output and weight registers for one word each: the capacity decides what is left of the orders.
  const Problem tight(gemm(8, 6, 4), 32);
  const auto found = tight.annealing(200).anneal(3, 0, tight.energy(), never);
  CHECK(found.feasible);
  const Problem impossible(gemm(4, 2, 3), 4);
  const Salsa annealing = impossible.annealing(50);
  const auto none = annealing.anneal(1, 0, impossible.energy(), never);
  CHECK_FALSE(none.feasible);
  CHECK(Salsa::best({none}) == nullptr);
  CHECK(annealing.reason(none).find("weight_register") != std::string::npos);
}

TEST_CASE("annealing: infeasible costs are never accepted once something feasible is known") {
  const Problem problem(gemm(8, 6, 4), 64);
  // Only orders with M innermost have a cost.
  const MappingCost cost = [](const CompactMapping& mapping) -> SalsaCost {
    if (mapping.dimension[0] != 0) return {std::numeric_limits<double>::quiet_NaN(), 0};
    return {1, 1};
  };
  SalsaWalk walk(
      LoopAllocator(*problem.layer, *problem.accelerator, *problem.fractional, MappingType::uneven, {}), {},
      cost, true);
  walk.start({{1, 6}, {0, 8}, {2, 4}});
  CHECK_FALSE(walk.feasible());
  CHECK(walk.propose(0, 2, 0.9, 0.05));  // blind: anything goes
  CHECK_FALSE(walk.feasible());
  CHECK(walk.propose(0, 1, 0.9, 0.05));
  CHECK(walk.feasible());
  CHECK_FALSE(walk.propose(0, 1, 0.0, 0.05));
  CHECK(walk.propose(1, 1, 0.9, 0.05));
  CHECK(walk.propose(1, 2, 0.9, 0.05));  // equal cost
  CHECK(walk.best().dimension[0] == 0);
}

TEST_CASE("annealing: orderings of the mapping file hold in every state") {
  const Problem partial(ordered_gemm(8, 6, 4, {{"C", {}}, {"M", 4}, {"*", {}}, {"N", {}}}), 64);
  for (std::uint64_t number = 0; number < 5; ++number) {
    const auto run = partial.annealing(100).anneal(1, number, partial.energy(), never);
    REQUIRE(run.feasible);
    const std::string order = names(*partial.layer, run.mapping);
    CHECK(order.starts_with("C2M4"));
    CHECK(order.find("N", order.size() - 2) != std::string::npos);
  }
  const Problem complete(ordered_gemm(8, 6, 4, {{"C", 4}, {"M", 8}, {"N", 6}}), 64);
  const auto run = complete.annealing(100).anneal(1, 0, complete.energy(), never);
  CHECK(names(*complete.layer, run.mapping) == "C4M8N6");
  CHECK(run.evaluations == 1);
}

TEST_CASE("annealing: a layer that is unrolled completely has one mapping without loops") {
  const Problem problem(gemm(1, 1, 1), 64);
  const auto run = problem.annealing(10).anneal(1, 0, problem.energy(), never);
  CHECK(run.feasible);
  CHECK(run.mapping.loops == 0);
}

TEST_CASE("annealing: stops when asked to") {
  const Problem problem(gemm(16, 12, 10), 64);
  int asked = 0;
  const auto run = problem.annealing(1000000).anneal(1, 0, problem.energy(), [&] { return ++asked > 2; });
  CHECK(asked == 3);
  CHECK(run.evaluations < 200);
}
