#include "core/hardware/imc/imc_array.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/accelerators.hpp"

using namespace zz::core;
using zz::test::imc_accelerator;

namespace {

doctest::Approx nearly(double value) { return doctest::Approx(value).epsilon(1e-12); }

Accelerator without_memory_area(Accelerator accelerator) {
  for (Memory& memory : accelerator.memories) memory.area = 0;
  return accelerator;
}

}  // namespace

TEST_CASE("analog array of 128 by 128 with 8-bit operands, 2 bits at a time, 8-bit converters") {
  const ImcArray array(without_memory_area(imc_accelerator({"analog", 8, 8, 8, 2}, 128, 128, 8)));
  const ImcParts area = array.area();
  CHECK(area.cells == 0);
  CHECK(area.dacs == 0);
  CHECK(area.adcs == nearly(2.1347150992749224));
  CHECK(area.mults == nearly(0.080478208));
  CHECK(area.adders_regular == 0);
  CHECK(area.adders_pv == nearly(0.0465893376));
  CHECK(area.accumulators == nearly(0.0260296704));
  CHECK(area.total() == nearly(2.2878123152749223));

  const ImcParts clock = array.clock();
  CHECK(clock.adcs == nearly(11.80672));
  CHECK(clock.mults == nearly(0.0478));
  CHECK(clock.adders_regular == 0);
  CHECK(clock.adders_pv == nearly(1.3384));
  CHECK(clock.accumulators == nearly(0.87952));
  CHECK(clock.total() == nearly(14.07244));

  const ImcPeak peak = array.peak();
  CHECK(peak.energy.dacs == nearly(10.368));
  CHECK(peak.energy.adcs == doctest::Approx(717.91018).epsilon(1e-8));
  CHECK(peak.energy.mults == nearly(37.158912));
  CHECK(peak.energy.analog_bl_addition == nearly(37.158912));
  CHECK(peak.energy.adders_pv == nearly(33.094656));
  CHECK(peak.energy.accumulators == nearly(15.676416));
  CHECK(peak.tera_per_second == doctest::Approx(0.58213).epsilon(1e-5));
  CHECK(peak.tera_per_watt == doctest::Approx(9.62217).epsilon(1e-6));
  CHECK(peak.tera_per_area == doctest::Approx(0.254449).epsilon(1e-6));
}

TEST_CASE("digital array of 128 by 128 with 8-bit operands, bit by bit") {
  const ImcArray array(without_memory_area(imc_accelerator({"digital", 8, 8, 0, 1}, 128, 128, 8)));
  const ImcParts area = array.area();
  // 128 * 9 - 16 = 1136 full adders in each of 128 trees.
  CHECK(array.tree().full_adders() == 1136);
  CHECK(area.adders_regular == nearly(1136 * 128 * (3 + 2 * 2.4) * 0.614e-6));
  CHECK(area.adcs == 0);
  CHECK(area.adders_pv == 0);
  CHECK(area.total() == nearly(0.8018113023999999));
  CHECK(array.clock().adders_regular == nearly(2.82976));
  CHECK(array.clock().total() == nearly(3.75708));
  CHECK(array.cycles_per_operation() == 8);
  CHECK(array.peak().operations == 2048);
}

TEST_CASE("further dimensions count banks, whatever the order in the file") {
  Accelerator accelerator = imc_accelerator({"digital", 8, 4, 0, 2}, 16, 32, 4);
  const ImcArray one(accelerator);
  accelerator.array.dimensions = {{"D3", 4}, {"D2", 32}, {"D4", 2}, {"D1", 16}};
  const ImcArray eight(accelerator);
  CHECK(eight.wordlines == 16);
  CHECK(eight.bitlines == 32);
  CHECK(eight.banks == 8);
  CHECK(eight.area().total() == nearly(8 * one.area().total()));
  CHECK(eight.clock().total() == one.clock().total());
  CHECK(eight.peak().tera_per_watt == nearly(one.peak().tera_per_watt));
}

TEST_CASE("cells that hold several weights and their area") {
  const Accelerator accelerator = imc_accelerator({"digital", 4, 4, 0, 4}, 8, 4, 16);
  const ImcArray array(accelerator);
  CHECK(array.weights_per_cell == 4);
  CHECK(array.area().cells == 8 * 4 * 0.25);
  CHECK(array.accumulator_width() == 0);
  CHECK(array.area().accumulators == 0);
  const ImcFigures figures = array.figures(accelerator);
  CHECK(figures.mem_area() == 1.0);  // one instance of each of the four
  CHECK(figures.area_total() == figures.imc_area() + 1.0);
}

TEST_CASE("a single row has no adder tree") {
  const Accelerator accelerator = imc_accelerator({"digital", 8, 1, 0, 8}, 16, 1, 1);
  CHECK(ImcArray(accelerator).clock().adders_regular == 0);
  CHECK(ImcArray(accelerator, {.negative_adder_tree_delay = true}).clock().adders_regular < 0);  // ZigZag's
  CHECK(ImcArray(accelerator).area().adders_regular == 0);
}

TEST_CASE("converters of one bit take no area, and none at all take nothing") {
  CHECK(ImcArray(imc_accelerator({"analog", 8, 8, 1, 1}, 4, 4, 8)).area().adcs == 0);
  CHECK(ImcArray(imc_accelerator({"analog", 8, 8, 1, 1}, 4, 4, 8)).clock().adcs > 0);
  CHECK(ImcArray(imc_accelerator({"analog", 8, 8, 0, 1}, 4, 4, 8)).clock().adcs == 0);
  CHECK(ImcArray(imc_accelerator({"analog", 8, 8, 0, 1}, 4, 4, 8)).peak().energy.adcs == 0);
}

TEST_CASE("other arrays are none of in-memory computing") {
  Accelerator accelerator = imc_accelerator({"analog", 8, 8, 8, 2}, 4, 4, 8);
  accelerator.array.imc.reset();
  CHECK_THROWS_AS(ImcArray{accelerator}, InputError);
}
