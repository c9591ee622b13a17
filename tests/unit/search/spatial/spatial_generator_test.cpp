#include "core/search/spatial/spatial_generator.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/problems.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

Layer hinted(Layer layer, std::vector<UnrollingHint> hints, Unrolling prescribed = {}) {
  layer.mapping.spatial_hints = std::move(hints);
  layer.mapping.spatial_mapping.dimensions = std::move(prescribed);
  return layer;
}

std::vector<Unrolling> generated(const Layer& layer, const Accelerator& accelerator, bool mixed = false,
                                 std::int64_t count = 3, bool compat = false) {
  std::vector<Unrolling> result;
  for (const SpatialUnrolling& mapping :
       generate_spatial_mappings(
           layer, accelerator,
           {.mixed = mixed, .count = count, .rules = rules_of(compat ? "zigzag-3.8.5" : "")})
           .mappings)
    result.push_back(mapping.dimensions);
  return result;
}

}  // namespace

TEST_CASE("spatial candidates: divisors of the largest useful factor, most units first") {
  const Layer layer = hinted(gemm(6, 6, 6), {{"D1", {"M"}}});
  for (const bool compat : {false, true}) {
    CHECK(generated(layer, array_of({4}), false, 9, compat) ==
          std::vector<Unrolling>{{{"D1", {{"M", 4}}}}, {{"D1", {{"M", 2}}}}, {{"D1", {{"M", 1}}}}});
    CHECK(generated(layer, array_of({4}), false, 1, compat).size() == 1);
  }
}

TEST_CASE("spatial candidates: it is told of how many they are the best") {
  // Along each dimension one of three loops 2 or 4 times, or none.
  CHECK(generate_spatial_mappings(gemm(4, 4, 4), array_of({4}), {}).combinations == 7);
  CHECK(generate_spatial_mappings(gemm(4, 4, 4), array_of({4, 4}), {}).combinations == 49);
  const Layer prescribed = hinted(gemm(4, 4, 4), {}, {{"D1", {{"M", 4}}}});
  CHECK(generate_spatial_mappings(prescribed, array_of({4}), {}).combinations == 1);
}

TEST_CASE("spatial candidates: of equal use, spreading over several loops is better") {
  const Layer layer = hinted(gemm(8, 8, 8), {{"D1", {"M"}}, {"D2", {"M", "N"}}});
  const auto best = generated(layer, array_of({4, 2}), false, 1).front();
  CHECK(best == Unrolling{{"D1", {{"M", 4}}}, {"D2", {{"N", 2}}}});
}

TEST_CASE("spatial candidates: a hint of which the layer has nothing is not used, and told") {
  const Layer layer = hinted(gemm(4, 4, 4), {{"D1", {"OX", "OY"}}});
  const auto candidates = generate_spatial_mappings(layer, array_of({4}), {});
  CHECK(candidates.mappings.size() == 3);
  CHECK(candidates.warnings.empty());
  const std::vector<std::string> unused = hints_without_loops(layer);
  REQUIRE(unused.size() == 1);
  CHECK(unused[0].find("hint for D1") != std::string::npos);
  // The part of a hint that fits is used.
  const Layer partly = hinted(gemm(4, 4, 4), {{"D1", {"OX", "N"}}});
  for (const Unrolling& unrolling : generated(partly, array_of({4}), true, 99))
    CHECK(unrolling[0].loops[0].dimension == "N");
}

TEST_CASE("spatial candidates: what is prescribed stays, what is open is filled") {
  const Layer layer = hinted(gemm(8, 8, 8), {{"D1", {"C"}}, {"D3", {"M"}}}, {{"D2", {{"M", 4}, {"N", 2}}}});
  const auto best = generated(layer, array_of({4, 8, 2}), false, 1).front();
  CHECK(best == Unrolling{{"D2", {{"M", 4}, {"N", 2}}}, {"D1", {{"C", 4}}}, {"D3", {{"M", 2}}}});
}

TEST_CASE("spatial candidates: an array dimension that is prescribed as empty stays empty") {
  const Layer layer = hinted(gemm(8, 8, 8), {}, {{"D1", {{"OX", 4}}}, {"D2", {{"M", 4}}}});
  const auto candidates = generate_spatial_mappings(layer, array_of({4, 4}), {});
  REQUIRE(candidates.mappings.size() == 1);
  CHECK(candidates.mappings[0].dimensions == Unrolling{{"D1", {}}, {"D2", {{"M", 4}}}});
  CHECK(candidates.warnings.size() == 1);
}

TEST_CASE("spatial candidates: a prescription is cut to layer and array, not to divisors") {
  const Layer layer = hinted(gemm(7, 5, 3), {}, {{"D1", {{"M", 16}}}, {"D2", {{"N", 4}, {"C", 3}}}});
  const auto candidates = generate_spatial_mappings(layer, array_of({4, 8}), {});
  REQUIRE(candidates.mappings.size() == 1);
  // 16 on 4 units become 4; 4 x 3 on 8 units is over-subscribed and loses a whole loop.
  CHECK(candidates.mappings[0].dimensions[0] == ArrayUnrolling{"D1", {{"M", 4}}});
  CHECK(candidates.mappings[0].dimensions[1].loops.size() == 1);
  REQUIRE(candidates.warnings.size() == 2);
  CHECK(candidates.warnings[0].find("D1 has 4 units, M 16 is cut to 4") != std::string::npos);
  CHECK(candidates.warnings[1].find("D2 has 8 units, too few for N 4 x C 3") != std::string::npos);
}

TEST_CASE(
    "spatial candidates: a loop prescribed more often than it has iterations leaves one array dimension") {
  const Layer layer = hinted(gemm(8, 8, 8), {}, {{"D1", {{"M", 4}}}, {"D2", {{"M", 4}}}});
  const auto candidates = generate_spatial_mappings(layer, array_of({4, 4}), {});
  const Unrolling& left = candidates.mappings.front().dimensions;
  CHECK(left[0].loops.size() + left[1].loops.size() == 1);
  REQUIRE(candidates.warnings.size() == 1);
  CHECK(candidates.warnings[0].find("M has 8 iterations, too few to be unrolled 16 times: M 4 on D") !=
        std::string::npos);
}

TEST_CASE("spatial candidates: which array dimension is left is that of the set of all, walked") {
  // D1 and D4 fall on one place of the set, so that it matters which of them comes first.
  const Layer layer =
      hinted(gemm(4, 8, 8), {},
             {{"D1", {{"M", 4}}}, {"D2", {}}, {"D3", {{"M", 4}}}, {"D4", {{"C", 1}, {"M", 8}}}});
  const auto left = generated(layer, array_of({1, 1, 4, 2})).front();
  CHECK(left == Unrolling{{"D1", {}}, {"D2", {}}, {"D3", {{"M", 4}}}, {"D4", {{"C", 1}}}});
}

TEST_CASE("spatial candidates: a memory lowers each for itself, in ZigZag all that share an alternative") {
  Accelerator accelerator = array_of({2, 3});
  // Four words of activations: M and C together take up to six.
  accelerator.memories.insert(accelerator.memories.begin(),
                              memory("buffer", 32, {"I1"}, {"D1", "D2"}, 1 << 20));
  const Layer layer = hinted(gemm(8, 8, 9), {{"D1", {"M", "N"}}, {"D2", {"C"}}});
  const Unrolling spread{{"D1", {{"M", 2}}}, {"D2", {{"C", 2}}}};
  const auto each = generated(layer, accelerator, false, 2);
  CHECK(each == std::vector<Unrolling>{spread, {{"D1", {{"N", 2}}}, {"D2", {{"C", 3}}}}});
  const auto shared = generated(layer, accelerator, false, 2, true);
  CHECK(shared == std::vector<Unrolling>{spread, {{"D1", {{"N", 2}}}, {"D2", {{"C", 2}}}}});
}

TEST_CASE("spatial candidates: mixed generation puts several loops on one array dimension") {
  const Layer layer = hinted(gemm(3, 5, 2), {{"D1", {"M", "N", "C"}}});
  CHECK(generated(layer, array_of({16}), false, 1).front() == Unrolling{{"D1", {{"N", 5}}}});
  const auto best = generated(layer, array_of({16}), true, 1).front();
  REQUIRE(best[0].loops.size() == 2);
  std::int64_t units = 1;
  for (const SpatialLoop& loop : best[0].loops) units *= loop.factor;
  CHECK(units == 15);
  CHECK(generated(layer, array_of({30}), true, 1).front()[0].loops.size() == 3);
}

TEST_CASE("spatial candidates: arrays of one dimension, and of five") {
  CHECK(generated(hinted(gemm(8, 8, 8), {{"D1", {"C"}}}), array_of({8}), true, 1).front() ==
        Unrolling{{"D1", {{"C", 8}}}});
  const auto best = generated(gemm(64, 64, 64), array_of({2, 2, 4, 4, 8}), true, 1).front();
  REQUIRE(best.size() == 5);
  std::int64_t units = 1;
  for (const ArrayUnrolling& entry : best) {
    for (const SpatialLoop& loop : entry.loops) units *= loop.factor;
  }
  CHECK(units == 512);
}

TEST_CASE("spatial candidates: when nothing is legal there is a reason") {
  Accelerator narrow = array_of({4});
  narrow.memories.insert(narrow.memories.begin(), memory("buffer", 64, {"I1"}, {"D1"}, 4));
  const Layer open = hinted(gemm(8, 8, 8), {{"D1", {"M"}}});
  CHECK_THROWS_AS(generate_spatial_mappings(open, narrow, {}), NoResult);
  const Layer prescribed = hinted(gemm(8, 8, 8), {}, {{"D1", {{"M", 4}}}});
  CHECK_THROWS_AS(generate_spatial_mappings(prescribed, narrow, {}), NoResult);
  // Also when another dimension is open.
  narrow.array.dimensions.push_back({"D2", 4});
  CHECK_THROWS_AS(generate_spatial_mappings(prescribed, narrow, {}), NoResult);
}
