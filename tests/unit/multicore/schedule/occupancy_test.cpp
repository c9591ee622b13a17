#include "core/multicore/schedule/detail/occupancy.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <random>
#include <vector>

namespace zz::test {
namespace {

using namespace core;

/// One number for each cycle, up to an end beyond which nothing happens.
struct Plain {
  std::vector<double> values = std::vector<double>(400, 0);

  void add(double from, double to, double value) {
    for (std::size_t t = static_cast<std::size_t>(from); t < values.size() && t < to; ++t)
      values[t] += value;
  }
};

}  // namespace

TEST_CASE("gaps of a link are those of its activity cycle by cycle") {
  std::mt19937 random(7);
  Occupancy link;
  link.reset(10);
  Plain plain;
  for (int step = 0; step < 300; ++step) {
    const double demand = static_cast<double>(1 + random() % 10),
                 from = static_cast<double>(random() % 200);
    const double duration = static_cast<double>(1 + random() % 9);
    double expected = from;
    const auto room = [&](double start) {
      for (double t = start; t < start + duration; ++t) {
        if (plain.values[static_cast<std::size_t>(t)] + demand > 10) return false;
      }
      return true;
    };
    while (expected < 380 && !room(expected)) ++expected;
    if (expected >= 380) break;
    CHECK(link.first_gap(from, duration, demand).start == expected);
    link.occupy(expected, expected + duration, demand);
    plain.add(expected, expected + duration, demand);
  }
}

TEST_CASE("a link says what it carries, until when, and the most of a window") {
  Occupancy link;
  link.reset(64);
  link.occupy(10, 20, 30);
  link.occupy(15, 40, 20);
  CHECK(link.stretch(0).activity == 0);
  CHECK(link.stretch(0).end == 10);
  CHECK(link.stretch(15).activity == 50);
  CHECK(link.stretch(15).end == 20);
  CHECK(link.stretch(40).activity == 0);
  CHECK(std::isinf(link.stretch(40).end));
  CHECK(link.peak(0, 10) == 0);
  CHECK(link.peak(0, 15) == 30);
  CHECK(link.peak(19, 100) == 50);
  CHECK(link.peak(20, 100) == 20);
}

TEST_CASE("the use of a memory is the sum of what came and went") {
  std::mt19937 random(11);
  MemoryUsage usage;
  usage.reset(100);
  Plain plain;
  for (int step = 0; step < 300; ++step) {
    const double bits = static_cast<double>(random() % 30), from = static_cast<double>(random() % 300);
    const double until = from + static_cast<double>(random() % 90);
    const double start = usage.earliest_fit(bits, from);
    double expected = from;
    for (std::size_t t = static_cast<std::size_t>(from); t < plain.values.size(); ++t) {
      if (plain.values[t] + bits > 100) expected = static_cast<double>(t) + 1;
    }
    CHECK(start == expected);
    CHECK(usage.at(from) == plain.values[static_cast<std::size_t>(from)]);
    if (until <= expected) continue;
    CHECK(usage.change(expected, bits));
    CHECK(usage.change(until, -bits));
    plain.add(expected, until, bits);
  }
}

}  // namespace zz::test
