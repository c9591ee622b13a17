#include <doctest/doctest.h>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/mapping/arrays.hpp"

using namespace zz::core;

TEST_CASE("the evaluation of a layer that another one is like differs in what was evaluated only") {
  const auto accelerator = std::make_shared<const Accelerator>(zz::test::array_of({4}));
  Layer given = zz::test::gemm(6, 8, 12);
  given.mapping.spatial_mapping = {{{"D1", {{"N", 4}}}}};
  const auto layer = std::make_shared<const Layer>(given);
  given.name = "another";
  const auto alike = std::make_shared<const Layer>(given);
  const ConvertedSpatialMapping spatial = convert_spatial_mapping(*layer, *accelerator, false);
  const auto fractional = std::make_shared<const SpatialMapping>(spatial.fractional);
  const auto integral = std::make_shared<const SpatialMapping>(spatial.integral);
  const CostModel model(accelerator, layer, fractional, integral, {});
  const CostModel like(model, alike, fractional, integral);
  Loma search(layer, accelerator, fractional, LomaOptions{});
  CompactMappings batch;
  search.next(batch, 1);
  REQUIRE(batch.rows.size() == 1);

  const Evaluation first = model.evaluate(std::make_shared<const TemporalMapping>(batch.mapping(0)));
  const auto mapping = std::make_shared<const TemporalMapping>(batch.mapping(0));
  const Evaluation copied = like.evaluate_like(first, mapping);
  const Evaluation evaluated = like.evaluate(mapping);
  CHECK(copied.layer == alike);
  CHECK(copied.temporal_mapping == mapping);
  CHECK(copied.energy_total == evaluated.energy_total);
  CHECK(copied.latency_total2 == evaluated.latency_total2);
  REQUIRE(copied.operands.size() == evaluated.operands.size());
  CHECK(copied.operands[1].levels[0].accesses == evaluated.operands[1].levels[0].accesses);
}
