#include "core/search/spatial/spatial_limits.hpp"

#include <doctest/doctest.h>

#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/problems.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

enum Loop { m, n, c };  // of gemm: O[m][n] = I[m][c] * W[c][n]

/// A buffer for activations next to a 64 x 64 array, which it serves in both dimensions.
Accelerator with_activation_buffer(std::int64_t size, std::int64_t bits_per_cycle) {
  Accelerator accelerator = array_of({64, 64});
  accelerator.memories.insert(accelerator.memories.begin(),
                              memory("buffer", size, {"I1"}, {"D1", "D2"}, bits_per_cycle));
  return accelerator;
}

SpatialUnrolling fitted(const Unrolling& unrolling, const Layer& layer, const Accelerator& accelerator,
                        bool compat) {
  SpatialUnrolling result{unrolling};
  SpatialLimits(layer, accelerator, rules_of(compat ? "zigzag-3.8.5" : "")).fit_capacity(result);
  return result;
}

}  // namespace

TEST_CASE("spatial limits: at most the loop, and at most the array dimension") {
  const Layer layer = gemm(100, 32, 7);
  const Accelerator accelerator = array_of({64, 8});
  const SpatialLimits limits(layer, accelerator, {});
  CHECK(limits.maximum(0, m) == 64);
  CHECK(limits.maximum(0, n) == 32);
  CHECK(limits.maximum(0, c) == 7);
  CHECK(limits.maximum(1, m) == 8);
}

TEST_CASE("spatial limits: loops that need words of their own are limited by an inner memory's bandwidth") {
  const Layer layer = gemm(64, 64, 64);
  const Accelerator accelerator = with_activation_buffer(1 << 20, 44);
  const SpatialLimits limits(layer, accelerator, {});
  CHECK(limits.maximum(0, m) == 5);  // 44 bits are 5 words of 8
  CHECK(limits.maximum(1, c) == 5);
  CHECK(limits.maximum(0, n) == 64);  // all units use the same activation
  // The large memory is not next to the array for weights and outputs, nor for activations any more.
  Layer no_bits = layer;
  no_bits.operands[1].precision = 0;
  CHECK(SpatialLimits(no_bits, accelerator, {}).maximum(0, m) == 64);
}

TEST_CASE("spatial limits: the largest factors are lowered until the words fit into the inner memory") {
  const Layer layer = gemm(64, 64, 64);
  for (const bool compat : {false, true}) {
    // Ten words of 8 bits; 4 x 3 are wanted.
    const auto result = fitted({{"D1", {{"M", 4}}}, {"D2", {{"C", 3}, {"N", 8}}}}, layer,
                               with_activation_buffer(80, 1 << 20), compat);
    CHECK(result.dimensions == Unrolling{{"D1", {{"M", 3}}}, {"D2", {{"C", 3}, {"N", 8}}}});
    const auto fits = fitted({{"D1", {{"M", 5}}}, {"D2", {{"C", 2}}}}, layer,
                             with_activation_buffer(80, 1 << 20), compat);
    CHECK(fits.dimensions == Unrolling{{"D1", {{"M", 5}}}, {"D2", {{"C", 2}}}});
  }
}

TEST_CASE("spatial limits: equal factors are limited each for itself, in ZigZag all get the last result") {
  const Layer layer = gemm(64, 64, 64);
  const Accelerator accelerator = with_activation_buffer(12 * 8, 1 << 20);
  const Unrolling wanted{{"D1", {{"M", 4}}}, {"D2", {{"C", 4}}}};
  // 4 x 4 words become 3 x 4 = 12, which fit. Looked up by value, both become 4, or both 3.
  const Unrolling ours = fitted(wanted, layer, accelerator, false).dimensions;
  CHECK(ours[0].loops[0].factor * ours[1].loops[0].factor == 12);
  const Unrolling compat = fitted(wanted, layer, accelerator, true).dimensions;
  CHECK(compat[0].loops[0].factor == compat[1].loops[0].factor);
  CHECK(compat == wanted);  // the last of the two was not lowered, so that neither is
}

TEST_CASE("spatial limits: a memory narrower than a word limits to one") {
  const Layer layer = gemm(64, 64, 64);
  const auto result =
      fitted({{"D1", {{"M", 4}}}, {"D2", {{"C", 4}}}}, layer, with_activation_buffer(4, 1 << 20), false);
  CHECK(result.dimensions == Unrolling{{"D1", {{"M", 1}}}, {"D2", {{"C", 1}}}});
}
