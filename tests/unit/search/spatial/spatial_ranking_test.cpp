#include "core/search/spatial/spatial_ranking.hpp"

#include <doctest/doctest.h>

#include "core/search/spatial/spatial_generator.hpp"
#include "tests/unit/mapping/arrays.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

std::vector<std::pair<int, std::int64_t>> option(const SpatialOptions& options, std::size_t index) {
  std::vector<std::pair<int, std::int64_t>> loops;
  for (const UnrolledIndex& unrolled : options.loops(index))
    loops.emplace_back(unrolled.loop, unrolled.factor);
  return loops;
}

using Loops = std::vector<std::pair<int, std::int64_t>>;

}  // namespace

TEST_CASE("spatial options: single loops with descending divisors, then ascending combinations that fit") {
  const SpatialOptions options({2, 0}, {4, 3}, 8, true);
  const std::vector<Loops> expected{{{2, 4}}, {{2, 2}}, {{2, 1}}, {{0, 3}}, {{0, 1}}, {{2, 2}, {0, 3}}};
  REQUIRE(options.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(option(options, i) == expected[i]);
  CHECK(options.units(5) == 6);
  CHECK(options.largest(5) == 3);
  CHECK(SpatialOptions({2, 0}, {4, 3}, 8, false).size() == 5);
  CHECK(SpatialOptions({2}, {0}, 8, true).size() == 0);
}

TEST_CASE("spatial ranking: the best of a few are the first of all, ties included") {
  const Accelerator arrays[] = {array_of({12}), array_of({4, 6}), array_of({3, 4, 2}),
                                array_of({2, 2, 2, 2})};
  const Layer layers[] = {gemm(6, 4, 8), gemm(12, 5, 1), gemm(7, 9, 2)};
  for (const Accelerator& accelerator : arrays) {
    for (const Layer& layer : layers) {
      for (const bool mixed : {false, true}) {
        const SpatialGeneratorOptions options{.mixed = mixed};
        const auto all = rank_spatial_mappings(layer, accelerator, options);
        for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i - 1].score >= all[i].score);
        for (const std::size_t limit : {std::size_t{1}, std::size_t{3}, std::size_t{10}, all.size() + 1}) {
          const auto best = rank_spatial_mappings(layer, accelerator, options, limit);
          REQUIRE(best.size() == std::min(limit, all.size()));
          for (std::size_t i = 0; i < best.size(); ++i) {
            CHECK(best[i].unrolling == all[i].unrolling);
            CHECK(best[i].score == all[i].score);
          }
        }
      }
    }
  }
}

TEST_CASE("spatial ranking: products of many millions of choices take no time") {
  const Layer layer = convolution(512, 512, 56, 3, 1);
  const auto best = rank_spatial_mappings(layer, array_of({64, 64, 16, 16}), {.mixed = true}, 3);
  REQUIRE(best.size() == 3);
  CHECK(best[0].score >= best[2].score);
  CHECK(best[0].score > 64 * 64 * 16 * 16);
}
