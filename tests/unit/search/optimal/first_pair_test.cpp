#include "core/search/optimal/first_pair.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <optional>

#include "core/base/diagnostics.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "tests/unit/worlds/random_problems.hpp"

namespace {

using namespace zz::core;
using zz::test::RandomProblems;

/// Evaluations of the temporal mappings of LOMA under one unrolling, a few of each problem.
template <typename Each>
void each_mapping(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                  const SpatialUnrolling& unrolling, const Each& each) {
  constexpr std::size_t some = 7;
  const MappingProblem problem = unrolled_problem(layer, accelerator, unrolling, {});
  Loma orders(problem.layer, accelerator, problem.fractional, {});
  const CostModel model = model_of(problem);
  CompactMappings batch;
  while (!orders.finished()) {
    orders.next(batch, 256);
    for (std::size_t row = 0; row < batch.rows.size(); row += some)
      each(model.evaluate(std::make_shared<const TemporalMapping>(batch.mapping(row))));
  }
}

Evaluation evaluated(const JointOptimum& pair) {
  const CostModel model = model_of(pair.problem);
  return model.evaluate(std::make_shared<const TemporalMapping>(
      readable(pair.certificate.mapping, *pair.problem.layer, *pair.problem.fractional)));
}

/// Number of problems that had a pair.
int check_floors(int problems) {
  constexpr double rounded = 1 + rounding_tolerance;
  RandomProblems random;
  int compared = 0;
  for (int number = 0; number < problems; ++number) {
    CAPTURE(number);
    const Layer layer = random.layer();
    const auto accelerator = std::make_shared<const Accelerator>(random.accelerator());
    for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
      JointOptions options;
      options.objective = objective;
      options.mixed = random.draw(0, 1) == 1;
      options.factors = random.draw(0, 3) == 0 ? UnrollingFactors::any : UnrollingFactors::even;
      options.within = 0.1;
      try {
        const JointOptimum optimum = find_joint_optimum(layer, accelerator, options);
        const std::optional<FirstPair> first = find_first_pair(layer, accelerator, options);
        if (!first) continue;
        ++compared;
        const auto is_above = [&](const Evaluation& one) {
          CHECK(first->least_energy <= one.energy_total * rounded);
          CHECK(first->least_until_finished <= one.latency_total1 * rounded);
        };
        CHECK(value_of(objective, first->energy, first->latency) * rounded >=
              optimum.certificate.lower_bound);
        is_above(evaluated(optimum));
        is_above(evaluated(optimum.chosen()));
        if (objective != Objective::latency) continue;
        for (const SpatialUnrolling& unrolling :
             generate_spatial_mappings(layer, *accelerator, {.mixed = options.mixed}).mappings)
          each_mapping(layer, accelerator, unrolling, is_above);
      } catch (const NoResult&) {
        continue;
      }
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("first pair: no mapping of the whole answer is below its floors") { CHECK(check_floors(9) > 15); }

TEST_CASE("first pair: no mapping of thousands of whole answers is below its floors" * doctest::skip()) {
  CHECK(check_floors(1500) > 3000);
}

TEST_CASE("first pair: there is none where its floors would say nothing") {
  RandomProblems random;
  const Layer layer = random.layer();
  const auto accelerator = std::make_shared<const Accelerator>(random.accelerator());
  JointOptions options;
  REQUIRE(find_first_pair(layer, accelerator, options));
  options.tiles = Tiles::chains;
  CHECK_FALSE(find_first_pair(layer, accelerator, options));
  options.tiles = Tiles::dividing;
  options.allowed.most_latency = 1e9;
  CHECK_FALSE(find_first_pair(layer, accelerator, options));
  options.allowed = {};
  options.model.rules = rules_of("zigzag-3.8.5");
  CHECK_FALSE(find_first_pair(layer, accelerator, options));
}
