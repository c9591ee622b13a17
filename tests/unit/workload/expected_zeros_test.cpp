// Expected values of zeros against drawn masks (fixed seeds; within four standard errors) and against all
// masks of few elements.
#include "core/workload/expected_zeros.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <random>
#include <vector>

using namespace zz::core;

namespace {

using Mask = std::vector<bool>;  ///< true: not zero

/// The mean over all masks of so many elements, each weighted with its probability.
double over_all(int elements, double density, const std::function<double(const Mask&)>& figure) {
  double mean = 0;
  for (unsigned bits = 0; bits < 1U << elements; ++bits) {
    Mask mask;
    double likely = 1;
    for (int i = 0; i < elements; ++i) {
      mask.push_back((bits >> i & 1U) != 0);
      likely *= mask.back() ? density : 1 - density;
    }
    mean += likely * figure(mask);
  }
  return mean;
}

/// The mean of drawn masks lies within four standard errors of `expected`.
void check_drawn(int elements, double density, double expected,
                 const std::function<double(const Mask&)>& figure) {
  std::mt19937 random(7);
  std::bernoulli_distribution nonzero(density);
  constexpr int draws = 1000;
  double sum = 0, squares = 0;
  for (int draw = 0; draw < draws; ++draw) {
    Mask mask;
    for (int i = 0; i < elements; ++i) mask.push_back(nonzero(random));
    const double one = figure(mask);
    sum += one;
    squares += one * one;
  }
  const double mean = sum / draws, variance = std::max(0.0, squares / draws - mean * mean);
  CHECK(std::abs(mean - expected) <= 4 * std::sqrt(variance / draws) + 1e-9);
}

/// Entries as a writer makes them, element by element.
double entries_of(const Mask& mask, int bits) {
  int entries = 0, run = 0;
  for (const bool nonzero : mask) {
    if (nonzero || run == (1 << bits) - 1) {
      ++entries;
      run = 0;
    } else {
      ++run;
    }
  }
  return entries;
}

double count(const Mask& mask) {
  double all = 0;
  for (const bool one : mask) all += one ? 1 : 0;
  return all;
}

}  // namespace

TEST_CASE("zeros: some element is not zero as often as in all masks") {
  for (const double density : {0.0, 0.1, 0.5, 0.93, 1.0})
    for (const int elements : {1, 2, 7})
      CHECK(some_nonzero(density, elements) ==
            doctest::Approx(
                over_all(elements, density, [](const Mask& mask) { return count(mask) > 0 ? 1.0 : 0.0; })));
}

TEST_CASE("zeros: entries of runs are those of all masks, and of drawn ones") {
  for (const double density : {0.0, 0.05, 0.4, 1.0})
    for (const int elements : {1, 3, 4, 9, 13})
      for (const int bits : {1, 2}) {
        CAPTURE(density);
        CAPTURE(elements);
        CHECK(expected_run_entries(density, elements, bits) ==
              doctest::Approx(
                  over_all(elements, density, [&](const Mask& mask) { return entries_of(mask, bits); })));
      }
  for (const double density : {0.01, 0.06, 0.5})
    check_drawn(700, density, expected_run_entries(density, 700, 5),
                [](const Mask& mask) { return entries_of(mask, 5); });
}

TEST_CASE("zeros: a row never makes more entries than its nonzeros allow") {
  over_all(12, 0.3, [](const Mask& mask) {
    CHECK(entries_of(mask, 2) <= most_run_entries(count(mask), 12, 2));
    return 0.0;
  });
}

TEST_CASE("zeros: a quantile is the fewest nonzeros that the share of tiles has no more of") {
  const auto share_up_to = [](int elements, double density, double nonzeros) {
    return over_all(elements, density,
                    [&](const Mask& mask) { return count(mask) <= nonzeros ? 1.0 : 0.0; });
  };
  for (const double density : {0.02, 0.4, 0.9})
    for (const int elements : {1, 5, 12})
      for (const double quantile : {0.5, 0.9, 0.999}) {
        const double most = nonzeros_at(ZeroLaw(OperandSparsity{"W", density}), elements, 1, quantile);
        CAPTURE(density);
        CAPTURE(elements);
        CAPTURE(quantile);
        CHECK(share_up_to(elements, density, most) >= quantile);
        if (most > 0) CHECK(share_up_to(elements, density, most - 1) < quantile);
      }
}

TEST_CASE("zeros: larger tiles and higher densities never need less room") {
  double before = 0;
  for (int elements = 1; elements < 300; ++elements) {
    const double now = nonzeros_at(ZeroLaw(OperandSparsity{"W", 0.3}), elements, 1, 0.999);
    CHECK(now >= before);
    CHECK(now >= std::floor(0.3 * elements));
    CHECK(now <= elements);
    before = now;
  }
  before = 0;
  for (int percent = 0; percent <= 100; ++percent) {
    const double now = nonzeros_at(ZeroLaw(OperandSparsity{"W", 0.01 * percent}), 200, 1, 0.999);
    CHECK(now >= before);
    before = now;
  }
  CHECK(before == 200);
}

TEST_CASE("zeros: of a pattern all tiles of whole blocks have as many nonzeros") {
  const ZeroLaw two_of_four(OperandSparsity{"W", 1, "2:4", "C"});
  CHECK(two_of_four.density == 0.5);
  CHECK(nonzeros_at(two_of_four, 3 * 8, 3, 0.5) == 12);
  // A row of 6 has a block that is cut: its first two may be the two that are not zero.
  CHECK(nonzeros_at(two_of_four, 3 * 6, 3, 0.5) == 12);
  CHECK(nonzeros_at(two_of_four, 1, 1, 0.5) == 1);
}

TEST_CASE("sparsity: patterns and densities are told apart") {
  CHECK(pattern_of("2:4").kept == 2);
  CHECK(pattern_of("2:4").of == 4);
  for (const char* wrong : {"", "2", "2:", ":4", "4:2", "0:4", "2:4 ", "-1:4", "1:2000"}) {
    CAPTURE(wrong);
    CHECK(pattern_of(wrong).of == 0);
  }
  CHECK(density_of(OperandSparsity{"W", 1, "1:4", "C"}) == 0.25);
  CHECK(to_text(OperandSparsity{"W", 0.4}) == "density 0.4");
}
