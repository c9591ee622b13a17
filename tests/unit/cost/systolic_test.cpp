// The drain of systolic arrays, and layers with one input.
#include <doctest/doctest.h>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

Evaluation first_order(Layer layer, const Accelerator& given, SpatialUnrolling unrolling,
                       const Rules& rules = {}) {
  layer.mapping.spatial_mapping = std::move(unrolling);
  const auto mapped = std::make_shared<const Layer>(std::move(layer));
  const auto accelerator = std::make_shared<const Accelerator>(given);
  const ConvertedSpatialMapping converted = convert_spatial_mapping(*mapped, *accelerator, rules);
  const auto fractional = std::make_shared<const SpatialMapping>(converted.fractional);
  const auto integral = std::make_shared<const SpatialMapping>(converted.integral);
  Loma search(mapped, accelerator, fractional, LomaOptions{});
  CompactMappings batch;
  search.next(batch, 1);
  REQUIRE(batch.rows.size() == 1);
  const CostModel model(accelerator, mapped, fractional, integral, {.rules = rules});
  const Evaluation evaluation = model.evaluate(std::make_shared<const TemporalMapping>(batch.mapping(0)));
  CHECK(model.score(batch.rows[0]).latency_total2 == evaluation.latency_total2);
  return evaluation;
}

/// O[m][n] = I[m][n]
Layer copy_of(std::int64_t m, std::int64_t n) {
  Layer layer = gemm(m, n, 1);
  layer.equation = "O[m][n] = I[m][n]";
  layer.loops = {{"M", m}, {"N", n}};
  layer.operands = {{"O", {"M", "N"}, 8, false, {}}, {"I", {"M", "N"}, 8, false, {}}};
  layer.mapping.memory_operands = {{"O", "O"}, {"I", "I1"}};
  return layer;
}

}  // namespace

TEST_CASE("systolic: one cycle for each unit behind the first along each systolic dimension") {
  Accelerator accelerator = small_accelerator(512, 1 << 16, 64);
  accelerator.array.dimensions = {{"D1", 32}, {"D2", 32}};
  const SpatialUnrolling unrolling{{{"D1", {{"N", 4}, {"M", 2}}}, {"D2", {{"C", 3}}}}};
  const Layer layer = gemm(8, 16, 9);
  const Evaluation broadcast = first_order(layer, accelerator, unrolling);
  CHECK(broadcast.systolic_drain_cycle == 0);
  accelerator.array.systolic_dimensions = {"D2"};
  CHECK(first_order(layer, accelerator, unrolling).systolic_drain_cycle == 2);
  accelerator.array.systolic_dimensions = {"D2", "D1"};
  const Evaluation systolic = first_order(layer, accelerator, unrolling);
  CHECK(systolic.systolic_drain_cycle == 7 + 2);
  CHECK(systolic.latency_total2 == broadcast.latency_total2 + 9);
  CHECK(systolic.latency_total1 == broadcast.latency_total1);
  CHECK(systolic.energy_total == broadcast.energy_total);
  CHECK(add(systolic, systolic).systolic_drain_cycle == 18);
  CHECK(scale(systolic, 3).systolic_drain_cycle == 27);
}

TEST_CASE("one input: loading over ports that serve two inputs counts, but not in ZigZag 3.9") {
  Accelerator accelerator = small_accelerator(64, 256, 8);
  Port shared = accelerator.memories[3].ports[0];
  shared.allocation.clear();
  for (const Port& port : accelerator.memories[3].ports)
    shared.allocation.push_back(port.allocation.front());
  accelerator.memories[3].ports = {shared};
  const SpatialUnrolling unrolling{{{"D1", {{"N", 2}}}}};
  const Evaluation ours = first_order(copy_of(6, 8), accelerator, unrolling);
  const Evaluation theirs = first_order(copy_of(6, 8), accelerator, unrolling, rules_of("zigzag-3.9"));
  CHECK(ours.data_onloading_cycle > 0);
  CHECK(theirs.data_onloading_cycle == 0);
  CHECK(theirs.latency_total0 == ours.latency_total0);
  CHECK(ours.mac_energy == 48);
}
