// Shares of the work that zeros leave, against drawn masks: rounds that are made when all units of a round
// that may skip it do.
#include "core/cost/work_left.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

Accelerator skipping(std::vector<OperandOnZero> on_zero, bool together = true) {
  Accelerator made;
  made.array.on_zero = std::move(on_zero);
  made.array.skip_together = together;
  return made;
}

SpatialMapping unrolled(const std::map<std::string, double>& units) {
  OperandSpatialMapping operand;
  operand.levels.emplace_back();
  for (const auto& [loop, factor] : units) operand.levels.back().push_back({loop, factor});
  return {{operand}};
}

/// The share of rounds in which some of the units, which are at all combinations of these positions of
/// loops, has two elements that are not zero (or one, of what is skipped).
double drawn(const Layer& layer, const std::map<std::string, int>& units, double w, double i, int draws,
             double& error) {
  std::mt19937 random(11);
  std::bernoulli_distribution of_w(w), of_i(i);
  std::vector<std::string> loops;
  for (const LoopDimension& loop : layer.loops) loops.push_back(loop.name);
  const auto address = [&](const char* name, const std::map<std::string, int>& at) {
    std::vector<int> key;
    for (const std::string& dimension :
         layer.operands[static_cast<std::size_t>(layer.operand_index(name))].dimensions) {
      int value = at.contains(dimension) ? at.at(dimension) : 0;
      for (const DimensionRelation& one : layer.relations)
        if (one.data == dimension)
          value = static_cast<int>(one.stride) * at.at(one.output_loop) +
                  static_cast<int>(one.dilation) * at.at(one.filter_loop);
      key.push_back(value);
    }
    return key;
  };
  int made = 0;
  for (int draw = 0; draw < draws; ++draw) {
    std::map<std::vector<int>, bool> mask_w, mask_i;
    const auto nonzero = [&](auto& mask, auto& of, const std::vector<int>& key) {
      const auto known = mask.find(key);
      return known != mask.end() ? known->second : mask.emplace(key, of(random)).first->second;
    };
    bool some = false;
    std::map<std::string, int> at;
    for (const std::string& loop : loops) at[loop] = 0;
    const auto walk = [&](const auto& next, std::size_t loop) -> void {
      if (loop == loops.size()) {
        const bool one = nonzero(mask_w, of_w, address("W", at));
        const bool other = nonzero(mask_i, of_i, address("I", at));
        some = some || (one && other);
        return;
      }
      const int end = units.contains(loops[loop]) ? units.at(loops[loop]) : 1;
      for (int step = 0; step < end; ++step) {
        at[loops[loop]] = step;
        next(next, loop + 1);
      }
      at[loops[loop]] = 0;
    };
    walk(walk, 0);
    made += some ? 1 : 0;
  }
  const double share = static_cast<double>(made) / draws;
  error = std::sqrt(std::max(share * (1 - share), 1.0 / draws) / draws);
  return share;
}

Layer with_zeros(Layer layer, double w, double i) {
  layer.sparsity = {{"W", w}, {"I", i}};
  return layer;
}

void check(const Layer& dense, const std::map<std::string, int>& units, double w, double i) {
  std::map<std::string, double> factors;
  for (const auto& [loop, count] : units) factors[loop] = count;
  const Layer layer = with_zeros(dense, w, i);
  const WorkLeft left =
      work_left(skipping({{"W", OnZero::skip}, {"I", OnZero::skip}}), layer, unrolled(factors));
  double error = 0;
  const double share = drawn(layer, units, w, i, 4000, error);
  CAPTURE(share);
  CAPTURE(left.rounds);
  CHECK(std::abs(left.rounds - share) <= 4 * error);
  CHECK(left.useful == doctest::Approx(w * i));
  CHECK(left.operations == doctest::Approx(w * i));
}

}  // namespace

TEST_CASE("work left: one unit makes the rounds whose elements are not zero") {
  const Layer layer = with_zeros(gemm(8, 8, 8), 0.4, 0.6);
  const WorkLeft left =
      work_left(skipping({{"W", OnZero::skip}, {"I", OnZero::skip}}), layer, unrolled({}));
  CHECK(left.rounds == doctest::Approx(0.24));
  const WorkLeft gated =
      work_left(skipping({{"W", OnZero::gate}, {"I", OnZero::skip}}), layer, unrolled({}));
  CHECK(gated.rounds == doctest::Approx(0.6));
  CHECK(gated.operations == doctest::Approx(0.24));
  const WorkLeft none = work_left(skipping({}), layer, unrolled({}));
  CHECK(none.rounds == 1);
  CHECK(none.operations == 1);
}

TEST_CASE("work left: rounds of many units are those of drawn masks") {
  const Layer product = gemm(8, 8, 8);
  const std::string m = product.loops[0].name, n = product.loops[1].name, k = product.loops[2].name;
  check(product, {{m, 3}}, 0.2, 0.5);
  check(product, {{n, 4}}, 0.2, 0.5);
  check(product, {{k, 3}}, 0.2, 0.5);
  check(product, {{m, 2}, {n, 3}}, 0.3, 0.2);
  check(product, {{m, 2}, {n, 2}, {k, 2}}, 0.2, 0.3);
  const Layer sliding = convolution(4, 2, 4, 3, 1);
  for (const std::map<std::string, int>& units :
       std::vector<std::map<std::string, int>>{{{"OX", 3}},
                                               {{"FX", 3}},
                                               {{"OX", 2}, {"FX", 3}},
                                               {{"OX", 2}, {"FX", 2}, {"K", 2}},
                                               {{"OX", 2}, {"OY", 2}, {"FX", 2}, {"FY", 2}}}) {
    check(sliding, units, 0.3, 0.25);
  }
}

TEST_CASE("work left: units that need not wait save what each saves, and uneven rounds lie between") {
  const Layer layer = with_zeros(gemm(8, 8, 8), 0.4, 0.6);
  const std::string m = layer.loops[0].name;
  const auto rounds = [&](double units, bool together) {
    return work_left(skipping({{"W", OnZero::skip}, {"I", OnZero::skip}}, together), layer,
                     unrolled({{m, units}}))
        .rounds;
  };
  CHECK(rounds(4, false) == doctest::Approx(0.24));
  CHECK(rounds(4, true) > rounds(3, true));
  CHECK(rounds(3.5, true) == doctest::Approx((rounds(3, true) + rounds(4, true)) / 2));
}

TEST_CASE("work left: fewer zeros never leave less, and full density leaves all") {
  const Layer product = gemm(8, 8, 8);
  double before = 0;
  for (int percent = 0; percent <= 100; percent += 4) {
    const WorkLeft left =
        work_left(skipping({{"W", OnZero::skip}, {"I", OnZero::skip}}),
                  with_zeros(product, 0.01 * percent, 0.7), unrolled({{product.loops[1].name, 4}}));
    CHECK(left.rounds >= before);
    before = left.rounds;
  }
  const WorkLeft all = work_left(skipping({{"W", OnZero::skip}, {"I", OnZero::gate}}),
                                 with_zeros(product, 1, 1), unrolled({}));
  CHECK(all.rounds == 1);
  CHECK(all.useful == 1);
  CHECK(all.operations == 1);
}

TEST_CASE(
    "work left: a pattern along a loop in time is skipped exactly, and by chance where units cut its "
    "blocks") {
  Layer layer = gemm(8, 8, 8);
  std::string common;
  for (const LoopDimension& loop : layer.loops) {
    const int index = layer.loop_index(loop.name);
    if (layer.relevancy(layer.operand_index("W"), index) == Relevancy::relevant &&
        layer.relevancy(layer.operand_index("I"), index) == Relevancy::relevant)
      common = loop.name;
  }
  layer.sparsity = {{"W", 1, "2:4", common}};
  const Accelerator array = skipping({{"W", OnZero::skip}});
  CHECK(work_left(array, layer, unrolled({})).rounds == 0.5);
  CHECK(work_left(array, layer, unrolled({{common, 4}})).rounds == 1);
  CHECK(work_left(array, layer, unrolled({{common, 4}})).useful == 0.5);
  // Two of four are both zero in one of six ways.
  CHECK(work_left(array, layer, unrolled({{common, 2}})).rounds == doctest::Approx(5.0 / 6));
  // In one round the second and third of a block, in others its ends.
  CHECK(work_left(array, layer, unrolled({{common, 8.0 / 3}})).rounds < 1);
  CHECK(work_left(skipping({{"W", OnZero::skip}}, false), layer, unrolled({{common, 2}})).rounds == 0.5);
  layer.sparsity.push_back({"I", 0.5});
  CHECK_THROWS_AS(work_left(skipping({{"W", OnZero::skip}, {"I", OnZero::skip}}), layer, unrolled({})),
                  InputError);
}
