#include "core/exploration/constraint.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"

TEST_CASE("constraint: says by which fraction it is missed") {
  const zz::core::Constraint constraint("2 * area <= 5");
  CHECK(constraint.names() == std::vector<std::string>{"area"});
  CHECK(constraint.excess(std::vector<double>{2.5}) == 0);
  CHECK(constraint.excess(std::vector<double>{3}) == doctest::Approx(0.2));
  const zz::core::Constraint other("energy > latency");
  CHECK(other.excess(std::vector<double>{2, 1}) == 0);
  CHECK(other.excess(std::vector<double>{1, 1}) > 0);
}

TEST_CASE("constraint: may hold where some numbers inside keep it") {
  using zz::core::Interval;
  const zz::core::Constraint constraint("area <= 5");
  CHECK(constraint.least_excess(std::vector<Interval>{{4, 9}}) == 0);
  CHECK(constraint.least_excess(std::vector<Interval>{{5, 9}}) == 0);
  CHECK(constraint.least_excess(std::vector<Interval>{{5.5, 9}}) == doctest::Approx(0.1));
}

TEST_CASE("constraint: what is none is told") {
  CHECK_THROWS_AS(zz::core::Constraint("area"), zz::core::InputError);
  CHECK_THROWS_AS(zz::core::Constraint("1 < area < 2"), zz::core::InputError);
  CHECK_THROWS_AS(zz::core::Constraint("area <= "), zz::core::InputError);
}
