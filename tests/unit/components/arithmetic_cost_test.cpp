#include "core/components/arithmetic_cost.hpp"

#include <algorithm>
#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"

using namespace zz::core;
using namespace zz::core::components;

TEST_CASE("arithmetic at 45 nm is what was published") {
  const auto energy = [](const char* type, auto cost) { return cost(format_of(type), 45).energy.value; };
  CHECK(energy("int8", multiplier_cost) == doctest::Approx(0.2));
  CHECK(energy("int32", multiplier_cost) == doctest::Approx(3.1));
  CHECK(energy("fp16", multiplier_cost) == doctest::Approx(1.1));
  CHECK(energy("fp32", multiplier_cost) == doctest::Approx(3.7));
  CHECK(energy("int8", adder_cost) == doctest::Approx(0.03));
  CHECK(energy("fp32", adder_cost) == doctest::Approx(0.9));
  CHECK(multiplier_cost(format_of("int8"), 45).standing == Standing::tabulated);
  CHECK(multiplier_cost(format_of("int16"), 45).standing == Standing::interpolated);
  CHECK(standing_of(multiplier_cost(format_of("int4"), 45)) == std::string("extrapolated"));
  CHECK(standing_of(multiplier_cost(format_of("int4"), 22)) == std::string("extrapolated and scaled"));
  CHECK(standing_of(multiplier_cost(format_of("int8"), 22)) == std::string("scaled, not fitted"));
  CHECK(multiply_accumulate_cost(format_of("int4"), 22).is_extrapolated);
  CHECK_FALSE(multiplier_cost(format_of("bf16"), 7).is_extrapolated);
  CHECK(multiplier_cost(format_of("int4"), 45).energy.value == doctest::Approx(0.05));
}

TEST_CASE("arithmetic at 7 nm is what was published of TPU v4i, with what scaling gives in its range") {
  const auto energy = [](const char* type, auto cost) { return cost(format_of(type), 7).energy.value; };
  CHECK(energy("bf16", multiplier_cost) == doctest::Approx(0.21));
  CHECK(energy("fp32", multiplier_cost) == doctest::Approx(1.31));
  CHECK(energy("int8", multiplier_cost) == doctest::Approx(0.07));
  CHECK(energy("bf16", adder_cost) == doctest::Approx(0.11));
  CHECK(energy("int32", adder_cost) == doctest::Approx(0.03));
  for (const char* type : {"int4", "int8", "int32", "fp8", "bf16", "fp16", "fp32"})
    for (const double node : {7., 9., 15.}) {
      CAPTURE(type);
      CAPTURE(node);
      const Estimate one = multiplier_cost(format_of(type), node).energy;
      CHECK(one.low < one.value);
      CHECK(one.high > multiplier_cost(format_of(type), 7).energy.value);
      CHECK(one.low < multiplier_cost(format_of(type), 45).energy.value * 0.1737);
    }
}

TEST_CASE("the range of arithmetic reaches the highest source") {
  // Aladdin, 40 nm: 12.68 and 0.21 pJ, 6350 and 278 um2.
  const auto reaches = [](const Estimate& one, double published) {
    CHECK(one.low < one.value);
    CHECK(one.high > published);
    CHECK(one.high < 2 * published);
  };
  const ComponentCost multiplier = multiplier_cost(format_of("int32"), 40);
  const ComponentCost adder = adder_cost(format_of("int32"), 40);
  reaches(multiplier.energy, 12.68);
  reaches(adder.energy, 0.21);
  reaches(multiplier.area, 6350e-6);
  reaches(adder.area, 278e-6);
  CHECK(multiplier.standing == Standing::scaled);
}

TEST_CASE("wider formats and coarser nodes cost more") {
  double before = 0;
  for (const char* type : {"int1", "int4", "int8", "int16", "int32", "int64"}) {
    CAPTURE(type);
    const double energy = multiply_accumulate_cost(format_of(type), 28).energy.value;
    CHECK(energy > before);
    before = energy;
  }
  before = 0;
  for (const char* type : {"fp8", "bf16", "fp16", "fp32"}) {
    CAPTURE(type);
    const double energy = multiplier_cost(format_of(type), 28).energy.value;
    CHECK(energy > before);
    before = energy;
  }
  const auto at = [](double node) { return multiplier_cost(format_of("int8"), node).energy.value; };
  for (double node = 17; node <= 90; ++node) CHECK(at(node) > at(node - 1));
  // Below, the published energy at 7 nm counts.
  const auto ends = std::minmax({at(7), at(16)});
  for (double node = 7; node <= 16; ++node) {
    CHECK(at(node) >= doctest::Approx(ends.first).epsilon(1e-9));
    CHECK(at(node) <= doctest::Approx(ends.second).epsilon(1e-9));
  }
}

TEST_CASE("a multiply-accumulate is a multiplier and an adder for the sum") {
  const double node = 45;
  const ComponentCost mac = multiply_accumulate_cost(format_of("int8"), node);
  CHECK(mac.energy.value == doctest::Approx(0.2 + 0.1));  // sums of 32 bits
  CHECK(multiply_accumulate_cost(format_of("int8"), node, 16).energy.value < mac.energy.value);
  CHECK(multiply_accumulate_cost(format_of("fp16"), node).energy.value == doctest::Approx(1.1 + 0.9));
}

TEST_CASE("formats and nodes that nobody knows are refused") {
  CHECK_THROWS_WITH_AS(format_of("int0"),
                       doctest::Contains("known are int1 to int64, fp8, fp16, bf16 and fp32"), InputError);
  CHECK_THROWS_AS(format_of("int8x"), InputError);
  CHECK_THROWS_AS(format_of("int65"), InputError);
  CHECK_THROWS_AS(format_of("posit8"), InputError);
  CHECK_THROWS_WITH_AS(multiplier_cost(format_of("int8"), 5), doctest::Contains("is 5 nm"), InputError);
}
