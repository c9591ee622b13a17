// On-loading of an input that shares ports with the other input on part of its way.
#include <doctest/doctest.h>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/cost/deviations.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Weights come through three memories; from the second and the third on over a port that inputs use, too.
Accelerator weights_share_twice() {
  Accelerator accelerator = small_accelerator(16, 256, 8);
  const auto shared_port = [](const Memory& memory) {
    Memory shared = memory;
    Port port = shared.ports.front();
    port.allocation.clear();
    for (const Port& each : memory.ports) port.allocation.push_back(each.allocation.front());
    shared.ports = {port};
    return shared;
  };
  accelerator.memories = {memory("weight_register", 16, {"I2"}, {}, 8),
                          memory("output_register", 16, {"O"}, {"D1"}, 8),
                          shared_port(memory("inputs", 128, {"I1", "I2"}, {"D1", "D2"}, 8)),
                          memory("weights", 1024, {"I2"}, {"D1", "D2"}, 8),
                          shared_port(memory("dram", 1 << 30, {"I1", "I2", "O"}, {"D1", "D2"}, 8))};
  return accelerator;
}

}  // namespace

TEST_CASE("on-loading: all half-shared links take their time; the last one only with compat") {
  const auto accelerator = std::make_shared<const Accelerator>(weights_share_twice());
  Layer layer = gemm(8, 8, 8);
  layer.mapping.spatial_mapping = {{{"D1", {{"N", 2}}}, {"D2", {{"C", 2}}}}};
  const auto mapped = std::make_shared<const Layer>(layer);
  const auto spatial =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(*mapped, *accelerator, {}).integral);
  Loma search(mapped, accelerator, spatial, LomaOptions{});
  CompactMappings batch;
  search.next(batch, 1);
  REQUIRE(batch.rows.size() == 1);
  const auto mapping = std::make_shared<const TemporalMapping>(batch.mapping(0));

  const auto model = [&](const char* compat) {
    return CostModel(accelerator, mapped, spatial, spatial, {.rules = rules_of(compat)});
  };
  const CostModel corrects = model("zigzag-3.8.5 but highest_half_shared_only");
  const Evaluation corrected = corrects.evaluate(mapping);
  CHECK(corrected.data_onloading_cycle > model("zigzag-3.8.5").evaluate(mapping).data_onloading_cycle);
  const auto deviations = find_deviations(corrects, corrected);
  REQUIRE(deviations.size() == 1);
  CHECK(deviations[0].rule == "highest_half_shared_only");
}
