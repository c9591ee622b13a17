#include "core/search/spatial/spatial_space.hpp"

#include <algorithm>
#include <doctest/doctest.h>

#include "core/compat/python_set_order.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

using Loops = std::vector<std::pair<int, std::int64_t>>;

std::vector<Loops> options_of(const std::vector<UnrollableLoop>& loops, std::int64_t size, bool mixed,
                              UnrollingFactors factors, UnrollingList list) {
  const UnrollingOptions options(loops, size, mixed, factors, list);
  std::vector<Loops> all(options.size());
  for (std::size_t i = 0; i < options.size(); ++i) {
    double units = 1;
    for (const UnrolledIndex& unrolled : options.loops(i)) {
      all[i].emplace_back(unrolled.loop, unrolled.factor);
      units *= static_cast<double>(unrolled.factor);
    }
    CHECK(options.units(i) == units);
  }
  return all;
}

SpatialSpaceOptions zigzag_list(bool mixed) {
  return {.mixed = mixed, .factors = UnrollingFactors::divisors, .list = UnrollingList::zigzag};
}

/// ZigZag's list by its definition: the whole Cartesian product, sorted.
std::vector<SpatialSpace::Choice> sorted_product(const Layer& layer, const Accelerator& accelerator,
                                                 bool mixed) {
  std::vector<std::string> names;
  for (const LoopDimension& loop : layer.loops) names.push_back(loop.name);
  names = python_set_order(names, NameClass::layer_dimension);
  std::vector<UnrollingOptions> options;
  for (const ArrayDimension& array : accelerator.array.dimensions) {
    std::vector<UnrollableLoop> loops;
    for (const std::string& name : names) {
      const std::int64_t size = layer.loop_size(name);
      loops.push_back({layer.loop_index(name), size, std::min(size, array.size)});
    }
    options.emplace_back(loops, array.size, mixed, UnrollingFactors::divisors, UnrollingList::zigzag);
  }
  std::vector<std::pair<double, SpatialSpace::Choice>> legal;
  for (SpatialSpace::Choice choice(options.size(), 0);;) {
    std::vector<std::int64_t> totals(layer.loops.size(), 1);
    double units = 1;
    for (std::size_t i = 0; i < options.size(); ++i) {
      for (const UnrolledIndex& unrolled : options[i].loops(choice[i])) {
        totals[unrolled.loop] *= unrolled.factor;
        units *= static_cast<double>(unrolled.factor);
      }
    }
    const auto largest = static_cast<double>(*std::max_element(totals.begin(), totals.end()));
    bool fits = true;
    for (std::size_t loop = 0; loop < totals.size(); ++loop)
      fits = fits && totals[loop] <= layer.loops[loop].size;
    if (fits) legal.emplace_back(units + units / largest - 1, choice);
    std::size_t digit = options.size();
    while (digit > 0 && ++choice[digit - 1] == options[digit - 1].size()) choice[--digit] = 0;
    if (digit == 0) break;
  }
  std::stable_sort(legal.begin(), legal.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<SpatialSpace::Choice> choices;
  for (auto& [score, choice] : legal) choices.push_back(std::move(choice));
  return choices;
}

}  // namespace

TEST_CASE("unrolling options: in ZigZag's list single loops with descending divisors, then combinations") {
  const std::vector<UnrollableLoop> loops{{2, 4, 4}, {0, 6, 3}};
  using enum UnrollingFactors;
  using enum UnrollingList;
  CHECK(options_of(loops, 8, true, divisors, zigzag) ==
        std::vector<Loops>{{{2, 4}}, {{2, 2}}, {{2, 1}}, {{0, 3}}, {{0, 1}}, {{2, 2}, {0, 3}}});
  CHECK(options_of(loops, 8, false, divisors, zigzag).size() == 5);
  CHECK(options_of({{2, 4, 0}}, 8, true, divisors, zigzag).empty());
}

TEST_CASE("unrolling options: distinct ones have most units first, and one of them unrolls nothing") {
  using enum UnrollingFactors;
  using enum UnrollingList;
  const std::vector<UnrollableLoop> loops{{2, 4, 4}, {0, 10, 6}};
  CHECK(options_of(loops, 6, false, even, distinct) ==
        std::vector<Loops>{{{0, 6}}, {{0, 5}}, {{2, 4}}, {{2, 2}}, {{0, 2}}, {}});
  CHECK(options_of(loops, 6, false, any, distinct) ==
        std::vector<Loops>{
            {{0, 6}}, {{0, 5}}, {{2, 4}}, {{0, 4}}, {{2, 3}}, {{0, 3}}, {{2, 2}}, {{0, 2}}, {}});
  CHECK(options_of(loops, 6, true, even, distinct).front() == Loops{{0, 6}});
  CHECK(options_of(loops, 8, true, even, distinct).front() == Loops{{2, 4}, {0, 2}});
  CHECK(options_of({{2, 4, 0}}, 8, true, any, distinct) == std::vector<Loops>{{}});
}

TEST_CASE("spatial space: ZigZag's list is the sorted product of all options, ties included") {
  const Accelerator arrays[] = {array_of({12}), array_of({4, 6}), array_of({3, 4, 2}),
                                array_of({2, 2, 2, 2})};
  const Layer layers[] = {gemm(6, 4, 8), gemm(12, 5, 1), gemm(7, 9, 2)};
  for (const Accelerator& accelerator : arrays) {
    for (const Layer& layer : layers) {
      for (const bool mixed : {false, true}) {
        SpatialSpace space(layer, accelerator, zigzag_list(mixed));
        std::vector<SpatialSpace::Choice> given;
        while (auto choice = space.next()) given.push_back(std::move(*choice));
        CHECK(given == sorted_product(layer, accelerator, mixed));
      }
    }
  }
}

TEST_CASE("spatial space: products of many millions of choices take no time") {
  const Layer layer = convolution(512, 512, 56, 3, 1);
  const Accelerator accelerator = array_of({64, 64, 16, 16});
  SpatialSpace space(layer, accelerator, zigzag_list(true));
  double last = 0;
  for (int i = 0; i < 3; ++i) {
    const auto choice = space.next();
    REQUIRE(choice);
    CHECK((i == 0 || space.rank(*choice) <= last));
    last = space.rank(*choice);
    CHECK(last > 64 * 64 * 16 * 16);
  }
}
