#include "core/cost/rates.hpp"

#include <doctest/doctest.h>
#include <memory>

namespace {

using namespace zz::core;

/// 2 ms at 500 MHz: 8 frames, 3 uJ, 400 million multiply-accumulates.
Evaluation eight_frames() {
  Evaluation evaluation;
  evaluation.latency_total2 = 1e6;
  evaluation.energy_total = 3e6;
  evaluation.mac_count = 4e8;
  evaluation.clock_period = 2;
  evaluation.frames = 8;
  return evaluation;
}

doctest::Approx nearly(double value) { return doctest::Approx(value).epsilon(1e-12); }

TEST_CASE("rates follow from cycles, energy and the clock") {
  const Rates rates = rates_of(eight_frames());
  CHECK(*rates.latency_ms == nearly(2));
  CHECK(*rates.frames_per_second == nearly(4000));
  CHECK(!rates.tokens_per_second);
  CHECK(*rates.power == nearly(1.5e-3));
  CHECK(*rates.tops == nearly(0.4));
  CHECK(*rates.tops_per_watt == nearly(0.4 / 1.5e-3));
  CHECK(!rates.area);
  CHECK(!rates.tops_per_mm2);
}

TEST_CASE("what leaks is part of the power") {
  Evaluation evaluation = eight_frames();
  set_metric(evaluation, leakage_metric, 2.5);  // mW
  CHECK(*rates_of(evaluation).power == nearly(4e-3));
  CHECK(*rate_of(evaluation, "tops_per_watt") == nearly(100));
}

TEST_CASE("without a clock only the area is known, and each other rate says what to write") {
  Evaluation evaluation = eight_frames();
  evaluation.clock_period = 0;
  evaluation.chip_area = 1.25;
  const Rates rates = rates_of(evaluation);
  CHECK(*rates.area == 1.25);
  for (const RateRow& row : rate_rows) {
    if (row.member == &Rates::area) continue;
    CHECK_MESSAGE(!(rates.*row.member), std::string(row.name));
    CHECK(why_no_rate(evaluation, row).find("clock: 500 MHz") != std::string::npos);
  }
}

TEST_CASE("the area that a stage has filled comes before what is told") {
  Evaluation evaluation = eight_frames();
  evaluation.chip_area = 1;
  set_metric(evaluation, "area", 0.5);
  CHECK(*rates_of(evaluation).area == 0.5);
  CHECK(*rates_of(evaluation).tops_per_mm2 == nearly(0.8));
}

TEST_CASE("the area of a chip names the parts that have none") {
  Accelerator chip;
  chip.name = "chip";
  chip.array.dimensions = {{"D1", 4}};
  chip.array.unit_area = 0.01;
  Memory registers, buffer, dram;
  registers.name = "registers";
  registers.operands = {"I1"};
  buffer.name = "buffer";
  buffer.operands = {"I1"};
  buffer.served_dimensions = {"D1"};
  buffer.area = 2;
  dram.name = "dram";
  dram.operands = {"I1"};
  dram.served_dimensions = {"D1"};
  chip.memories = {registers, buffer, dram};
  ChipArea area = chip_area(chip);
  CHECK(area.mm2 == nearly(2.04));
  CHECK(area.without == std::vector<std::string>{"registers"});  // the outermost memory may be off the chip
  CHECK(!area.is_known());
  chip.memories[0].area = 0.001;  // one in each of four units
  area = chip_area(chip);
  CHECK(area.mm2 == nearly(2.044));
  CHECK(area.is_known());
  chip.array.unit_area = 0;
  Evaluation evaluation = eight_frames();
  evaluation.layer = std::make_shared<const Layer>();
  evaluation.accelerator = std::make_shared<const Accelerator>(chip);
  CHECK(why_no_rate(evaluation, *rate_row("area")).find("none is told of units;") != std::string::npos);
}

TEST_CASE("layers one after the other keep clock and frames, and add their work") {
  Evaluation evaluation;
  for (int i = 0; i < 2; ++i) evaluation = add(evaluation, eight_frames());
  CHECK(evaluation.mac_count == 8e8);
  CHECK(evaluation.clock_period == 2);
  CHECK(*rates_of(evaluation).frames_per_second == nearly(2000));
  CHECK(*rates_of(evaluation).tops == nearly(0.4));
  CHECK(scale(eight_frames(), 3).mac_count == 1.2e9);
  CHECK(scale(eight_frames(), 3).frames == 8);
}

}  // namespace
