#include "core/base/interruption.hpp"

#include <doctest/doctest.h>
#include <limits>

using namespace zz::core;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a deadline interrupts until it is left") {
  CHECK_FALSE(interruption_requested());
  {
    const Deadline deadline(0);
    CHECK(interruption_requested());
    CHECK(deadline.is_over());
    CHECK_THROWS_AS(end_if_interrupted(), Interrupted);
  }
  CHECK_FALSE(interruption_requested());
  const Deadline deadline(never);
  CHECK_FALSE(interruption_requested());
  CHECK_FALSE(deadline.is_over());
}

TEST_CASE("a deadline within another one ends no later, and is not over for that") {
  const Deadline around(0);
  const Deadline within(never);
  CHECK(interruption_requested());
  CHECK_FALSE(within.is_over());
  CHECK(around.is_over());
}

TEST_CASE("whose run is interrupted is not out of time") {
  std::atomic<bool> run{false};
  const InterruptedBy interrupted({.run = &run});
  const Deadline deadline(0);
  CHECK(deadline.is_over());
  run = true;
  CHECK_FALSE(deadline.is_over());
  CHECK(interruption_requested());
}
