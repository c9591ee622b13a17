// Unrollings that do not divide their loop: what all rounds move together is what the layer has.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/cost/data_footprint.hpp"
#include "core/cost/deviations.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/workload/window_positions.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

/// Calls visit(model, evaluation) for some loop orders of an unrolled layer.
template <class Visit>
void for_some_orders(Layer layer, const Accelerator& given, SpatialUnrolling unrolling, const Rules& rules,
                     const Visit& visit) {
  layer.mapping.spatial_mapping = std::move(unrolling);
  const auto mapped = std::make_shared<const Layer>(std::move(layer));
  const auto accelerator = std::make_shared<const Accelerator>(given);
  const ConvertedSpatialMapping converted = convert_spatial_mapping(*mapped, *accelerator, rules);
  const auto fractional = std::make_shared<const SpatialMapping>(converted.fractional);
  const auto integral = std::make_shared<const SpatialMapping>(converted.integral);
  const CostModel model(accelerator, mapped, fractional, integral, {.rules = rules});
  LomaOptions options;
  options.factor_limit = 4;
  Loma search(mapped, accelerator, fractional, options);
  CompactMappings batch;
  search.next(batch, 48);
  REQUIRE(!batch.rows.empty());
  for (std::size_t row = 0; row < batch.rows.size(); ++row)
    visit(model, model.evaluate(std::make_shared<const TemporalMapping>(batch.mapping(row))));
}

}  // namespace

TEST_CASE("averages: positions of a window between two whole tiles lie between theirs") {
  const WindowPositions exact(2, 1, 100, false);
  CHECK(exact.average(3.0, 3.0) == 7);
  CHECK(exact.average(3.5, 3.0) == 8);  // 7 and 9
  CHECK(exact.average(4.0, 3.0) == 9);
  CHECK(exact.average(3.0, 1.5) == 4.5);
  CHECK(exact.average(2.9999999999999996, 3.0) == 7);
  const WindowPositions as_zigzag(2, 1, 100, true);
  CHECK(as_zigzag.average(3.5, 3.0) == as_zigzag.count(std::int64_t{3}, std::int64_t{3}));
}

// 22 columns on 3 units take 8 rounds with 2.75 in each. The weights cross the port of the top memory once
// at least, which takes as many cycles as they have elements.
TEST_CASE("averages: the port of the top memory moves each weight, in no less than the time that takes") {
  Accelerator accelerator = small_accelerator(64, 2048, 8);
  accelerator.array.dimensions = {{"D1", 3}, {"D2", 5}};
  const SpatialUnrolling unrolling{{{"D1", {{"N", 3}}}, {"D2", {{"C", 2}}}}};
  const Layer layer = gemm(1, 22, 29);
  const double weights = 22 * 29;
  double least_of_zigzag = weights;
  for_some_orders(layer, accelerator, unrolling, {}, [&](const CostModel&, const Evaluation& evaluation) {
    const LevelCost& top = evaluation.operands[2].levels.back();
    CHECK(static_cast<double>(top.accesses[static_cast<int>(Direction::read_to_low)]) >= weights);
    CHECK(evaluation.latency_total2 >= weights);
    CHECK(evaluation.operands[2].levels[0].utilization <= 1);
  });
  for_some_orders(layer, accelerator, unrolling, rules_of("zigzag-3.9"),
                  [&](const CostModel&, const Evaluation& evaluation) {
                    least_of_zigzag = std::min(least_of_zigzag, evaluation.latency_total2);
                  });
  CHECK(least_of_zigzag < weights);
}

// Rows 2 OY + FY: buffers with different OY share rows only where theirs overlap.
TEST_CASE("averages: units get all rows of a window that is unrolled below and above a memory") {
  Accelerator accelerator = small_accelerator(64, 1 << 16, 8);
  accelerator.array.dimensions = {{"D1", 4}, {"D2", 4}};
  accelerator.memories[2].served_dimensions = {"D1"};
  const SpatialUnrolling unrolling{{{"D1", {{"FY", 4}}}, {"D2", {{"OY", 4}}}}};
  const Layer layer = convolution(2, 1, 32, 7, 2);
  const double inputs = 69 * 69;
  const auto fetched = [](const Evaluation& evaluation) {
    const LevelCost& top = evaluation.operands[2].levels.back();
    return static_cast<double>(top.accesses[static_cast<int>(Direction::read_to_low)]);
  };
  double least = std::numeric_limits<double>::infinity(), least_of_zigzag = least;
  for_some_orders(layer, accelerator, unrolling, {}, [&](const CostModel& model, const Evaluation& found) {
    least = std::min(least, fetched(found));
    const CompactMapping mapping = model.compact(*found.temporal_mapping);
    const DataFootprint held = footprint_of(model.tables(), model.tables().fractional, mapping, 2, 1);
    CHECK(held.copies[1] >= model.tables().fractional[2].boost[1]);
    CHECK(held.copies[1] <= 4);
  });
  CHECK(least >= inputs);
  for_some_orders(layer, accelerator, unrolling, rules_of("zigzag-3.9"),
                  [&](const CostModel&, const Evaluation& found) {
                    least_of_zigzag = std::min(least_of_zigzag, fetched(found));
                  });
  CHECK(least_of_zigzag < inputs);
}

TEST_CASE("averages: a memory has room for the fullest round, and reports it") {
  Accelerator accelerator = small_accelerator(64, 8192, 8);
  accelerator.array.dimensions = {{"D1", 3}, {"D2", 5}};
  const SpatialUnrolling unrolling{{{"D1", {{"N", 3}}}, {"D2", {{"C", 5}}}}};
  int fuller = 0;
  for_some_orders(gemm(4, 22, 29), accelerator, unrolling, {},
                  [&](const CostModel& model, const Evaluation& evaluation) {
                    const CompactMapping mapping = model.compact(*evaluation.temporal_mapping);
                    for (int operand = 0; operand < 3; ++operand) {
                      const int levels = model.tables().operands[operand].levels;
                      const DataFootprint average =
                          footprint_of(model.tables(), model.tables().fractional, mapping, operand, levels);
                      for (int level = 1; level <= levels; ++level) {
                        const double fullest = fullest_elements(model.tables(), mapping, operand, level);
                        CHECK(fullest == std::floor(fullest));
                        CHECK(fullest >= average.elements[level]);
                        if (fullest > average.elements[level]) ++fuller;
                        // The topmost memory holds the tensor, no more.
                        if (level == levels) CHECK(fullest == average.elements[level]);
                        const BoundaryCost cost =
                            cost_of(model.tables(), model.options(), mapping, operand, level);
                        CHECK(cost.bits == fullest * average.width(level));
                      }
                    }
                  });
  CHECK(fuller > 0);
}

TEST_CASE("averages: whole unrollings have ZigZag's figures but for busy ports") {
  const SpatialUnrolling unrolling{{{"D1", {{"N", 2}}}, {"D2", {{"C", 2}}}}};
  std::vector<Evaluation> ours, theirs;
  for_some_orders(gemm(6, 8, 4), small_accelerator(64, 1024, 16), unrolling, {},
                  [&](const CostModel& model, const Evaluation& evaluation) {
                    for (const Deviation& deviation : find_deviations(model, evaluation))
                      CHECK(deviation.rule == "faster_than_ports");
                    ours.push_back(evaluation);
                  });
  for_some_orders(gemm(6, 8, 4), small_accelerator(64, 1024, 16), unrolling, rules_of("zigzag-3.9"),
                  [&](const CostModel&, const Evaluation& evaluation) { theirs.push_back(evaluation); });
  REQUIRE(ours.size() == theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    CHECK(ours[i].energy_total == theirs[i].energy_total);
    CHECK(ours[i].latency_total0 == theirs[i].latency_total0);
  }
}

TEST_CASE("averages: a deviation says by how much it moved the figures") {
  Accelerator accelerator = small_accelerator(64, 2048, 8);
  accelerator.array.dimensions = {{"D1", 3}, {"D2", 5}};
  const SpatialUnrolling unrolling{{{"D1", {{"N", 3}}}}};
  int found = 0;
  for_some_orders(gemm(2, 22, 7), accelerator, unrolling, {},
                  [&](const CostModel& model, const Evaluation& evaluation) {
                    for (const Deviation& deviation : find_deviations(model, evaluation)) {
                      CHECK((deviation.energy != 0 || deviation.latency != 0));
                      if (deviation.rule == "data_in_whole_units") ++found;
                    }
                  });
  CHECK(found > 0);
}

// Deviations reuse what does not follow from their rule.
TEST_CASE("averages: a deviation is the distance to a model that is made by its rule") {
  int found = 0;
  const auto check = [&](const CostModel& model, const Evaluation& evaluation) {
    for (const Deviation& deviation : find_deviations(model, evaluation)) {
      CostModelOptions options = model.options();
      options.rules.*deviation.member = true;
      const auto whole = std::make_shared<const SpatialMapping>(
          convert_spatial_mapping(*evaluation.layer, *evaluation.accelerator, options.rules).integral);
      const CostModel anew(evaluation.accelerator, evaluation.layer, evaluation.spatial_mapping, whole,
                           options);
      const Score score = anew.score(model.compact(*evaluation.temporal_mapping));
      CHECK(deviation.energy == change(evaluation.energy_total, score.energy_total));
      CHECK(deviation.latency == change(evaluation.latency_total2, score.latency_total2));
      ++found;
    }
  };
  Accelerator accelerator = small_accelerator(64, 2048, 8);
  accelerator.array.dimensions = {{"D1", 3}, {"D2", 5}};
  for_some_orders(gemm(2, 22, 7), accelerator, {{{"D1", {{"N", 3}}}}}, {}, check);
  for_some_orders(gemm(4, 22, 29), accelerator, {{{"D1", {{"N", 3}}}, {"D2", {{"C", 5}}}}}, {}, check);
  for_some_orders(gemm(6, 8, 4), small_accelerator(64, 1024, 16),
                  {{{"D1", {{"N", 2}}}, {"D2", {{"C", 2}}}}}, {}, check);
  CHECK(found > 0);
}
