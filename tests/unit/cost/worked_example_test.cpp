// A matrix product on two memory levels, worked out by hand from the formulas of the model.
#include <doctest/doctest.h>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace {

using namespace zz::core;

Port port(const std::string& name, PortType type, std::int64_t min, std::int64_t max,
          std::vector<PortAllocation> allocation) {
  return {name, type, min, max, std::move(allocation)};
}

Memory memory_of(const std::string& name, std::int64_t size, double read, double write,
                 std::vector<std::string> operands, std::vector<std::string> served,
                 std::vector<Port> ports) {
  Memory memory;
  memory.name = name;
  memory.size = size;
  memory.read_cost = read;
  memory.write_cost = write;
  memory.operands = std::move(operands);
  memory.served_dimensions = std::move(served);
  memory.ports = std::move(ports);
  return memory;
}

Accelerator two_level_accelerator() {
  using enum Direction;
  Accelerator accelerator;
  accelerator.name = "two_levels";
  accelerator.array.dimensions = {{"D1", 4}, {"D2", 4}};
  accelerator.array.unit_energy = 0.5;
  accelerator.memories = {
      memory_of("rf_W", 32, 0.1, 0.12, {"I2"}, {},
                {port("r_port_1", PortType::read, 8, 8, {{"I2", read_to_low}}),
                 port("w_port_1", PortType::write, 8, 8, {{"I2", write_from_high}})}),
      memory_of(
          "rf_O", 48, 0.2, 0.25, {"O"}, {"D2"},
          {port("r_port_1", PortType::read, 24, 24, {{"O", read_to_low}, {"O", read_to_high}}),
           port("w_port_1", PortType::write, 24, 24, {{"O", write_from_high}, {"O", write_from_low}})}),
      memory_of("sram", 8192, 5, 6, {"I1", "I2", "O"}, {"D1", "D2"},
                {port("r_port_1", PortType::read, 16, 64,
                      {{"I1", read_to_low}, {"I2", read_to_low}, {"O", read_to_low}, {"O", read_to_high}}),
                 port("w_port_1", PortType::write, 16, 64,
                      {{"I1", write_from_high},
                       {"I2", write_from_high},
                       {"O", write_from_high},
                       {"O", write_from_low}})})};
  return accelerator;
}

Layer product() {
  Layer layer = zz::test::gemm(6, 8, 12);
  layer.operands[0].precision = 24;
  layer.mapping.spatial_mapping = {{{"D1", {{"N", 4}}}, {"D2", {{"C", 4}}}}};
  layer.mapping.temporal_ordering = {{"M", 2}, {"C", 3}, {"M", 3}, {"N", 2}};
  return layer;
}

}  // namespace

TEST_CASE("worked example: accesses, energy and latency of a matrix product") {
  const auto layer = std::make_shared<const Layer>(product());
  const auto accelerator = std::make_shared<const Accelerator>(two_level_accelerator());
  const ConvertedSpatialMapping spatial = convert_spatial_mapping(*layer, *accelerator, {});
  const auto fractional = std::make_shared<const SpatialMapping>(spatial.fractional);
  const auto integral = std::make_shared<const SpatialMapping>(spatial.integral);
  Loma search(layer, accelerator, fractional, LomaOptions{});
  CompactMappings batch;
  search.next(batch, 8);
  REQUIRE(batch.rows.size() == 1);  // the ordering is complete
  const auto mapping = std::make_shared<const TemporalMapping>(batch.mapping(0));
  CHECK(mapping->operands[0].allocated == std::vector<int>{2, 4});
  CHECK(mapping->operands[1].allocated == std::vector<int>{4});
  CHECK(mapping->operands[2].allocated == std::vector<int>{3, 4});

  const CostModel model(accelerator, layer, fractional, integral, CostModelOptions{});
  const Evaluation evaluation = model.evaluate(mapping);
  const auto accesses = [&](int operand, int level) {
    return evaluation.operands[operand].levels[level].accesses;
  };
  using Accesses = std::array<std::int64_t, 4>;  // to low, from low, to high, from high
  CHECK(accesses(0, 0) == Accesses{144, 144, 24, 0});
  CHECK(accesses(0, 1) == Accesses{0, 6, 0, 0});
  CHECK(accesses(1, 0) == Accesses{18, 0, 0, 0});
  CHECK(accesses(2, 0) == Accesses{288, 0, 0, 96});
  CHECK(accesses(2, 1) == Accesses{12, 0, 0, 0});
  CHECK(evaluation.mac_energy == 288.0);
  CHECK(evaluation.mem_energy == doctest::Approx(295.92).epsilon(1e-12));
  CHECK(evaluation.energy_total == doctest::Approx(583.92).epsilon(1e-12));
  CHECK(evaluation.ideal_cycle == 36.0);
  CHECK(evaluation.ideal_temporal_cycle == 36.0);
  CHECK(evaluation.latency_total0 == 41.0);
  CHECK(evaluation.latency_total1 == 47.0);
  CHECK(evaluation.latency_total2 == 48.0);
  CHECK(evaluation.mac_utilization2() == 0.75);
}
