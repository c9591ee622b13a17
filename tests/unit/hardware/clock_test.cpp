#include "core/hardware/clock.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/hardware/multi_core_accelerator.hpp"

namespace {

using namespace zz::core;

std::string problem_of(const std::string& text) {
  try {
    clock_period_of(text);
  } catch (const InputError& problem) {
    return problem.what();
  }
  return "";
}

TEST_CASE("a clock is written with its unit, as a frequency or as a period") {
  CHECK(clock_period_of("500 MHz") == doctest::Approx(2));
  CHECK(clock_period_of("1GHz") == doctest::Approx(1));
  CHECK(clock_period_of("0.8 ghz") == doctest::Approx(1.25));
  CHECK(clock_period_of("250 kHz") == doctest::Approx(4000));
  CHECK(clock_period_of("2 ns") == doctest::Approx(2));
  CHECK(clock_period_of("625 ps") == doctest::Approx(0.625));
  CHECK(clock_words(2) == "500 MHz");
  CHECK(clock_words(0.8) == "1.25 GHz");
  CHECK(clock_words(4000) == "250 kHz");
}

TEST_CASE("what is no clock says how to write one") {
  for (const char* wrong : {"fast", "500", "500 Hertz", "3 parsecs", ""})
    CHECK_MESSAGE(problem_of(wrong).find("500 MHz, 1 GHz or 2 ns") != std::string::npos, wrong);
  for (const char* wrong : {"0 MHz", "-2 ns", "-1 GHz"})
    CHECK_MESSAGE(problem_of(wrong).find("above 0") != std::string::npos, wrong);
  CHECK_THROWS_AS(check_clock_period(0, "'clock_period'"), InputError);
}

TEST_CASE("periods that look like another unit are doubted") {
  CHECK(doubt_of_clock(2).empty());
  CHECK(doubt_of_clock(500) == "500 ns, a clock of 2 MHz: is it meant in ns?");
  CHECK(doubt_of_clock(2e-9).find("is it meant in ns?") != std::string::npos);
}

TEST_CASE("cores count in cycles of one clock") {
  Accelerator slow, fast, memory;
  slow.name = "slow";
  slow.clock_period = 2;
  fast.name = "fast";
  fast.clock_period = 1;
  const auto shared = std::make_shared<const Accelerator>(slow);
  MultiCoreAccelerator chip;
  chip.cores = {shared, shared, std::make_shared<const Accelerator>(memory)};
  CHECK(clock_of(chip) == 2);
  chip.cores.push_back(std::make_shared<const Accelerator>(fast));
  CHECK_THROWS_AS(clock_of(chip), InputError);
  set_clock(chip, 1.5);
  CHECK(clock_of(chip) == 1.5);
  CHECK(chip.cores[0] == chip.cores[1]);  // cores of one file stay one object
}

}  // namespace
