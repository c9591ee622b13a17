#include "core/components/memory_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/components/technology.hpp"

using namespace zz::core;
using namespace zz::core::components;

namespace {

constexpr Transistors high = Transistors::high_performance, low = Transistors::low_standby_power;

/// CACTI 7's figures; none of these points is fitted.
struct Point {
  double node, bytes, width;
  Transistors transistors;
  double read, write, area, leakage, time;
};

constexpr std::array<Point, 12> kept_back = {
    {{22, 1024, 128, low, 0.90033, 1.33282, 0.001453, 0.000344921, 0.389074},
     {22, 65536, 512, high, 14.9574, 45.1739, 0.055184, 20.9079, 0.378062},
     {32, 1024, 128, high, 1.66665, 2.50803, 0.003095, 0.84685, 0.139464},
     {32, 262144, 32, high, 16.5226, 10.9328, 0.460677, 159.313, 0.834516},
     {32, 4194304, 512, high, 461.76, 482.218, 9.064525, 2427.83, 2.74282},
     {32, 4194304, 128, low, 193.228, 175.183, 7.314889, 1.21116, 5.68088},
     {45, 4096, 128, high, 4.2397, 11.0452, 0.015985, 5.94413, 0.271165},
     {65, 4096, 128, high, 7.22013, 19.9832, 0.033484, 6.69892, 0.457496},
     {65, 1048576, 512, high, 663.56, 764.059, 9.399334, 1260.07, 2.72856},
     {90, 65536, 128, low, 145.468, 145.065, 0.848722, 0.0132305, 3.08893},
     {90, 65536, 128, high, 113.681, 108.986, 0.848644, 27.5195, 1.11208},
     {90, 262144, 32, high, 113.469, 68.6981, 3.462409, 110.282, 2.26021}}};

ComponentCost at(double bits, double width, double node = 22) {
  return sram_cost({bits, width, node, high});
}

std::string refusal(const MemoryComponent& question) {
  try {
    sram_cost(question);
    return "";
  } catch (const InputError& error) {
    return error.diagnostics().front().message;
  }
}

}  // namespace

TEST_CASE("nine in ten figures of SRAM are near points that are not fitted") {
  std::array<int, 5> near{};
  const auto count = [&](std::size_t figure, const Estimate& one, double value, double most) {
    near[figure] += std::abs(one.value / value - 1) <= most ? 1 : 0;
  };
  for (const Point& point : kept_back) {
    const ComponentCost cost = sram_cost({8 * point.bytes, point.width, point.node, point.transistors});
    count(0, cost.energy, point.read, 0.5);
    count(1, cost.write_energy, point.write, 0.25);
    count(2, cost.area, point.area, 0.25);
    count(3, cost.leakage, point.leakage, 0.25);
    count(4, cost.access_time, point.time, 0.25);
    CHECK(cost.standing == Standing::fitted);
    CHECK(std::string(cost.source).find("CACTI 7") == 0);
  }
  for (const int points : near) CHECK(points >= 0.9 * kept_back.size());
}

TEST_CASE("a larger, wider or coarser SRAM costs more, also beyond the fitted points") {
  for (double node = 7; node <= 90; node += 1) {
    CAPTURE(node);
    for (double bits = 512; bits <= 1 << 28; bits *= 2) {
      CAPTURE(bits);
      CHECK(at(2 * bits, 64, node).energy.value > at(bits, 64, node).energy.value);
      CHECK(at(2 * bits, 64, node).write_energy.value > at(bits, 64, node).write_energy.value);
      CHECK(at(2 * bits, 64, node).area.value > at(bits, 64, node).area.value);
      CHECK(at(2 * bits, 64, node).leakage.value > at(bits, 64, node).leakage.value);
      // Below, published energies at 7 nm count, which are above those of CACTI at 22 nm.
      if (node > 16) {
        CHECK(at(bits, 64, node).energy.value > at(bits, 64, node - 1).energy.value);
      } else {
        const auto ends = std::minmax({at(bits, 64, 7).energy.value, at(bits, 64, 16).energy.value});
        CHECK(at(bits, 64, node).energy.value >= doctest::Approx(ends.first).epsilon(1e-9));
        CHECK(at(bits, 64, node).energy.value <= doctest::Approx(ends.second).epsilon(1e-9));
      }
    }
  }
  for (double width = 8; width < 4096; width *= 2) {
    CAPTURE(width);
    CHECK(at(1 << 22, 2 * width).energy.value > at(1 << 22, width).energy.value);
    CHECK(at(1 << 22, 2 * width).write_energy.value > at(1 << 22, width).write_energy.value);
  }
}

TEST_CASE("an answer says how it follows from the points, with a range that grows") {
  const auto spread = [](const ComponentCost& cost) { return cost.energy.high / cost.energy.value; };
  const ComponentCost fitted = at(524288, 128, 32), between = at(524288, 128, 28),
                      outside = at(524288, 8, 32), scaled = at(524288, 128, 16), far = at(524288, 128, 7);
  CHECK(between.standing == Standing::interpolated);
  CHECK(between.leakage.high / between.leakage.value > 1.5);
  CHECK(standing_of(outside) == std::string("extrapolated"));
  CHECK(at(1 << 24, 2048).is_extrapolated);
  CHECK(standing_of(scaled) == std::string("scaled, not fitted"));
  // A node below the fitted ones hides no size beyond them.
  CHECK(standing_of(at(1 << 29, 512, 22)) == std::string("extrapolated"));
  for (const double node : {21., 16., 7.}) {
    CAPTURE(node);
    CHECK(standing_of(at(1 << 29, 512, node)) == std::string("extrapolated and scaled"));
  }
  CHECK(spread(fitted) < spread(outside));
  CHECK(spread(fitted) < spread(scaled));
  CHECK(spread(scaled) < spread(far));
  // The low end by scaling goes on falling; the value at 7 nm is the published one.
  CHECK(scaled.energy.low < scaled.energy.value);
  CHECK(far.energy.low < scaled.energy.low);
  CHECK(far.energy.high >= far.energy.value);
  CHECK(scaled.energy.value < at(524288, 128, 22).energy.value);
}

TEST_CASE("SRAM at 7 nm is what was published of TPU v4i, with what scaling gives in its range") {
  constexpr double kib = 8192;
  CHECK(at(8 * kib, 64, 7).energy.value == doctest::Approx(7.5));
  CHECK(at(32 * kib, 64, 7).energy.value == doctest::Approx(8.5));
  CHECK(at(1024 * kib, 64, 7).energy.value == doctest::Approx(14));
  CHECK(at(128 * 1024 * kib, 512, 7).area.value == doctest::Approx(112));
  for (const double node : {7., 10., 14.}) {
    CAPTURE(node);
    const ComponentCost cost = at(64 * kib, 128, node);
    const double scaling = logic_energy_scale(node) / logic_energy_scale(22);
    CHECK(cost.energy.low < scaling * at(64 * kib, 128, 22).energy.value);
    CHECK(cost.energy.high > at(64 * kib, 128, 7).energy.value);
    CHECK_FALSE(warning_of_node(node).empty());
  }
  // Nothing changes from 16 nm up.
  CHECK(at(64 * kib, 128, 16).energy.value ==
        doctest::Approx(at(64 * kib, 128, 22).energy.value * logic_energy_scale(16) /
                        logic_energy_scale(22)));
  CHECK(at(64 * kib, 128, 15.999).energy.value ==
        doctest::Approx(at(64 * kib, 128, 16).energy.value).epsilon(1e-3));
  CHECK(warning_of_node(16).empty());
}

TEST_CASE("the form goes on to a GiB") {
  const ComponentCost half = at(67108864, 512), one = at(134217728, 512), large = at(8589934592, 512);
  CHECK(one.is_extrapolated);
  CHECK(one.area.value / half.area.value == doctest::Approx(2).epsilon(0.2));
  CHECK(large.energy.value > one.energy.value);
}

TEST_CASE("a wide SRAM is several side by side") {
  const ComponentCost one = at(1 << 22, 512), four = at(1 << 24, 2048);
  CHECK(four.energy.value == doctest::Approx(4 * one.energy.value));
  CHECK(four.area.value == doctest::Approx(4 * one.area.value));
  CHECK(four.access_time.value == doctest::Approx(one.access_time.value));
}

TEST_CASE("memories that nobody can answer for are refused") {
  CHECK(refusal({100, 8, 22}) ==
        "an SRAM of 100 bits is out of range: it must have 512 to 8589934592 bits");
  CHECK(refusal({1e10, 8, 22}).find("out of range") != std::string::npos);
  CHECK(refusal({1024, 2048, 22}).find("the width of an access is 2048 bits") == 0);
  CHECK(refusal({1024, 0, 22}).find("the width of an access is 0 bits") == 0);
  CHECK(
      refusal({1024, 8, 130}).find("the technology node is 130 nm, but costs are known from 7 to 90 nm") ==
      0);
  CHECK(refusal({std::nan(""), 8, 22}).find("out of range") != std::string::npos);
  CHECK_THROWS_WITH_AS(dram_cost("ddr9", 64),
                       doctest::Contains("known are ddr3, ddr4, lpddr3, lpddr4, hbm2"), InputError);
}

TEST_CASE("register files and DRAM") {
  // 0.6 pJ for 16 bits of 0.5 KB at 45 nm, and 1 pJ of 1 KB.
  CHECK(register_file_cost({4096, 16, 45}).energy.value == doctest::Approx(0.6).epsilon(0.5));
  CHECK(register_file_cost({8192, 16, 45}).energy.value == doctest::Approx(1).epsilon(0.5));
  CHECK(register_file_cost({16, 16, 40}).energy.value == doctest::Approx(16 * 0.009));
  CHECK_FALSE(register_file_cost({16, 16, 40}).leakage.known());

  const ComponentCost dram = dram_cost("lpddr4", 64);
  CHECK(dram.energy.low == doctest::Approx(64 * 4));
  CHECK(dram.energy.high == doctest::Approx(64 * 14));
  CHECK(dram.area.value == 0);
  CHECK_FALSE(dram.leakage.known());
}
