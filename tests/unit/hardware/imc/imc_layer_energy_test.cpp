#include "core/hardware/imc/imc_layer_energy.hpp"

#include <doctest/doctest.h>
#include <memory>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/hardware/imc/imc_array.hpp"
#include "core/hardware/imc/technology.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"

using namespace zz::core;
using zz::test::imc_accelerator;

namespace {

doctest::Approx approximately(double value) { return doctest::Approx(value).epsilon(1e-12); }

/// Eight output positions of a convolution along one line, 4 kernels, 2 channels, window of 3.
Layer line_convolution(std::int64_t stride = 1) {
  Layer layer;
  layer.name = "line";
  layer.type = "Conv";
  layer.loops = {{"K", 4}, {"C", 2}, {"OX", 8}, {"FX", 3}};
  layer.operands = {{"O", {"K", "OX"}, 16, false, {}},
                    {"W", {"K", "C", "FX"}, 8, true, {}},
                    {"I", {"C", "IX"}, 8, false, {}}};
  layer.final_output_precision = 16;
  DimensionRelation& relation = layer.relations.emplace_back();
  relation.data = "IX";
  relation.stride = stride;
  relation.output_loop = "OX";
  relation.filter_loop = "FX";
  relation.size = 7 * stride + 3;
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  return layer;
}

ImcEnergy energy(const Accelerator& accelerator, Layer layer, SpatialUnrolling unrolling) {
  layer.mapping.spatial_mapping = std::move(unrolling);
  return ImcLayerEnergy(accelerator, layer).with_repeats(1);
}

}  // namespace

TEST_CASE("every component counts what is in use") {
  const Accelerator accelerator = imc_accelerator({"analog", 8, 8, 4, 2}, 8, 16, 8);
  const Layer layer = line_convolution();
  // 192 operations, 4 columns and 6 rows at a time, 4 cycles each: 8 activations of the array, 32 cycles.
  const ImcEnergy used = energy(accelerator, layer, {{{"D1", {{"K", 4}}}, {"D2", {{"C", 2}, {"FX", 3}}}}});
  CHECK(used.local_bl_precharging == 0);
  CHECK(used.dacs == approximately(0.05 * 2 * 0.81 * 6 * 32));
  CHECK(used.adcs == approximately((100 * 4 + 0.001 * 256) * 0.81 / 1000 * 8 * 4 * 32));
  CHECK(used.mults == approximately(0.5 * 0.0007 * 0.81 * 8 * 8 * 6 * 32));
  CHECK(used.analog_bl_addition == approximately(0.00035 * 0.81 * 8 * 4 * 16 * 32));
  CHECK(used.adders_regular == 0);
  const double adder = (3 * 0.0007 + 2 * 0.00105) * 0.81;
  CHECK(used.adders_pv == approximately(adder * (4 * 7 + 8 * 2.5) * 4 * 32));
  CHECK(used.accumulators == approximately((adder + 0.0021 * 0.81) * (8 + 4 + 8) * 4 * 32));
}

TEST_CASE("an unrolling that leaves both dimensions alone uses one row and one column") {
  const Accelerator accelerator = imc_accelerator({"digital", 8, 8, 0, 8}, 8, 16, 8);
  const ImcEnergy used = energy(accelerator, line_convolution(), {});
  const AdderTree tree{8, 16};
  CHECK(used.mults == approximately(0.5 * 0.0007 * 0.81 * 8 * 8 * 8 * 16 * 192));
  CHECK(used.adders_regular == approximately(tree.energy(1) * 8 * 192));
  CHECK(used.accumulators == 0);
}

TEST_CASE("columns for neighbouring output positions shift their weights along the diagonal") {
  const Accelerator accelerator = imc_accelerator({"analog", 8, 8, 4, 2}, 8, 16, 8);
  const SpatialUnrolling straight{{{"D1", {{"K", 4}}}, {"D2", {{"C", 2}, {"FX", 3}}}}};
  const SpatialUnrolling diagonal{{{"D1", {{"OX", 4}}}, {"D2", {{"C", 2}, {"FX", 3}}}}};
  const double rows_of_straight = energy(accelerator, line_convolution(), straight).dacs / 6;
  // 4 positions of a window of 3 pass 6 inputs, for each of the 2 channels.
  CHECK(energy(accelerator, line_convolution(), diagonal).dacs == approximately(rows_of_straight * 2 * 6));
  // Two apart they pass 9, which are more rows than there are.
  CHECK_THROWS_WITH_AS(
      energy(accelerator, line_convolution(2), diagonal),
      "layer 'line': with weights shifted from column to column this unrolling needs 18 rows; "
      "the array of 'imc' has 16",
      NoResult);
}

TEST_CASE("loops of factor 1 are not unrolled, so that a filter loop among them shifts nothing") {
  const std::vector<SpatialLoop> factors_of_one[] = {
      {{"FX", 1}}, {{"C", 1}}, {{"K", 1}}, {{"FX", 1}, {"C", 1}}, {}};
  const std::vector<SpatialLoop> others[] = {{}, {{"C", 2}}};
  for (const ImcProperties& properties :
       {ImcProperties{"analog", 8, 8, 4, 2}, ImcProperties{"digital", 8, 8, 0, 2}}) {
    const Accelerator accelerator = imc_accelerator(properties, 8, 16, 8);
    for (const std::int64_t stride : {1, 2, 3}) {
      for (const std::vector<SpatialLoop>& other : others) {
        CAPTURE(stride);
        CAPTURE(other.size());
        const double without =
            energy(accelerator, line_convolution(stride), {{{"D1", {{"OX", 4}}}, {"D2", other}}}).total();
        for (const std::vector<SpatialLoop>& ones : factors_of_one) {
          std::vector<SpatialLoop> loops = other;
          if (!other.empty() && !ones.empty() && ones.back().dimension == "C") continue;  // C twice
          loops.insert(loops.end(), ones.begin(), ones.end());
          CHECK(energy(accelerator, line_convolution(stride), {{{"D1", {{"OX", 4}}}, {"D2", loops}}})
                    .total() == without);
          CHECK(energy(accelerator, line_convolution(stride), {{{"D1", loops}, {"D2", {{"OX", 4}}}}})
                    .total() ==
                energy(accelerator, line_convolution(stride), {{{"D1", other}, {"D2", {{"OX", 4}}}}})
                    .total());
        }
      }
    }
  }
}

TEST_CASE("cells that hold several weights: the bitline is precharged for each other weight") {
  const ImcProperties properties{"digital", 8, 8, 0, 8};
  const SpatialUnrolling unrolling{{{"D1", {{"K", 4}}}, {"D2", {{"FX", 3}}}}};
  Layer layer = line_convolution();
  layer.mapping.spatial_mapping = unrolling;
  const Accelerator deep = imc_accelerator(properties, 8, 4, 32);
  const double selection = (0.00035 + 0.00035 * 4) * 0.81 * 8;
  CHECK(ImcLayerEnergy(deep, layer).with_repeats(1).local_bl_precharging == approximately(selection * 192));
  CHECK(ImcLayerEnergy(deep, layer).with_repeats(8).local_bl_precharging == approximately(selection * 24));

  // In the cost model: C turns within OX, so each weight is used once, or OX within C, and it is used eight
  // times.
  const auto shared_layer = std::make_shared<const Layer>(layer);
  const auto accelerator = std::make_shared<const Accelerator>(deep);
  const ConvertedSpatialMapping spatial = convert_spatial_mapping(layer, deep, {});
  const CostModel model(accelerator, shared_layer,
                        std::make_shared<const SpatialMapping>(spatial.fractional),
                        std::make_shared<const SpatialMapping>(spatial.integral), CostModelOptions{});
  const auto precharging = [&](std::vector<TemporalLoop> loops) {
    const int all = static_cast<int>(loops.size());
    const auto mapping = std::make_shared<const TemporalMapping>(TemporalMapping{
        std::move(loops),
        {{"O", {0, all}, {0, all}}, {"W", {all, all}, {all, all}}, {"I", {0, all}, {0, all}}}});
    const Evaluation evaluation = model.evaluate(mapping);
    REQUIRE(evaluation.imc.has_value());
    CHECK(evaluation.mac_energy == evaluation.imc->energy.total());
    const Score score = model.score(model.compact(*mapping));
    CHECK(score.energy_total == evaluation.energy_total);
    CHECK(score.latency_total2 == evaluation.latency_total2);
    return evaluation.imc->energy.local_bl_precharging;
  };
  CHECK(precharging({{"C", 2}, {"OX", 8}}) == approximately(selection * 192));
  CHECK(precharging({{"OX", 8}, {"C", 2}}) == approximately(selection * 24));
}

TEST_CASE("a layer without weights cannot use the cells") {
  Layer layer = line_convolution();
  layer.mapping.memory_operands = {{"O", "O"}, {"I", "I1"}};
  CHECK_THROWS_AS(ImcLayerEnergy(imc_accelerator({"digital", 8, 8, 0, 8}, 8, 4, 8), layer), InputError);
}

TEST_CASE("sums and multiples of figures") {
  const Accelerator small = imc_accelerator({"digital", 8, 8, 0, 8}, 8, 4, 8);
  const Accelerator large = imc_accelerator({"digital", 8, 8, 0, 8}, 16, 8, 8);
  ImcFigures a = ImcArray(small).figures(small);
  a.energy.mults = 2;
  ImcFigures b = ImcArray(large).figures(large);
  b.energy.mults = 3;
  b.energy.dacs = 1;
  const ImcFigures sum = add(a, b);
  CHECK(sum.energy.total() == 6);
  CHECK(sum.energy.mults == 5);
  CHECK(sum.tclk() == b.tclk());
  CHECK(sum.area_total() == b.area_total());
  CHECK(add(a, a).area == a.area);
  CHECK(scale(b, 3).energy.total() == 12);
  CHECK(scale(b, 3).clock == b.clock);

  Evaluation layer;
  layer.imc = a;
  layer.mac_energy = 2;
  const Evaluation total = add(add(Evaluation{}, layer), layer);
  REQUIRE(total.imc.has_value());
  CHECK(total.imc->energy.mults == 4);
  CHECK(scale(layer, 0.5).imc->energy.mults == 1);
}
