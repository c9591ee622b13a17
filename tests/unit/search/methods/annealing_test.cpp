#include "core/search/methods/annealing.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <vector>

#include "core/search/methods/random_numbers.hpp"

using namespace zz::core;

namespace {

/// Many valleys; the deepest is at 70.
double depth(int x) { return 100 + std::abs(x - 70) - 4 * std::cos(x * 0.9 - 63); }

struct State {
  int x = 0;
  double value = 0;
};

std::vector<State> annealed(int count, int steps, std::uint64_t seed) {
  std::vector<State> walks(static_cast<std::size_t>(count), State{0, depth(0)});
  RandomNumbers random(seed, 0);
  Exchanges exchanges(8);
  int made = 0;
  const auto next_progress = [&]() -> std::optional<double> {
    if (made == steps) return std::nullopt;
    return static_cast<double>(made++) / steps;
  };
  anneal(Cooling{0.3, 0.01}, next_progress, [&](double progress, double temperature) {
    for (State& walk : walks) {
      const int x = walk.x + (random.below(2) == 0 ? -1 : 1);
      const double value = depth(x);
      if (!takes_rise(value / walk.value - 1, temperature, random.fraction())) continue;
      walk = {x, value};
    }
    exchanges.after_step(
        progress, walks, [](const State& a, const State& b) { return a.value < b.value; },
        [](State& worst, const State& best) { worst = best; });
  });
  return walks;
}

}  // namespace

TEST_CASE("annealing gets over rises to the deepest valley, the same way for the same seed") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::vector<State> walks = annealed(6, 4000, seed);
    CHECK(walks.front().x == annealed(6, 4000, seed).front().x);
    double best = std::numeric_limits<double>::infinity();
    for (const State& walk : walks) best = std::min(best, walk.value);
    CHECK(best <= depth(70) + 1);
  }
}

TEST_CASE("annealing: the largest rise that is taken is where the rule changes") {
  for (const double random : {0.1, 0.5, 0.99}) {
    const double rise = largest_rise(0.02, 1 - random);
    CHECK(takes_rise(0.999 * rise, 0.02, random));
    CHECK_FALSE(takes_rise(1.001 * rise, 0.02, random));
  }
  CHECK(takes_rise(0, 0.02, 0.999));
  CHECK(Cooling{0.5, 0.25}.at(2) == 0.5 / 16);
}
