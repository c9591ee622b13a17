// The cycles that `fold` and `instruction` add to the steps of a mapping: numbers of
// docs/accelerator-keys.md.
#include "core/cost/array_pace.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "core/cost/audit.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

/// An array of registers for the operand below one memory that is wide enough for all units.
Accelerator systolic(const std::string& kept, std::int64_t rows, std::int64_t columns) {
  std::vector<Memory> memories{memory("register", 8, {kept}),
                               memory("home", 1 << 30, {"I1", "I2", "O"}, {"D1", "D2"}, 1 << 20)};
  return accelerator_with("systolic", {rows, columns}, std::move(memories));
}

/// A product of which the loops are unrolled along D1 and D2, and the rest runs in this order.
Evaluation evaluated(const Accelerator& given, Layer layer, SpatialUnrolling unrolling,
                     std::vector<TemporalLoop> loops) {
  layer.mapping.spatial_mapping = std::move(unrolling);
  const auto mapped = std::make_shared<const Layer>(std::move(layer));
  const auto accelerator = std::make_shared<const Accelerator>(given);
  const ConvertedSpatialMapping converted = convert_spatial_mapping(*mapped, *accelerator, {});
  const CostModel model(accelerator, mapped, std::make_shared<const SpatialMapping>(converted.fractional),
                        std::make_shared<const SpatialMapping>(converted.integral), {});
  TemporalMapping mapping;
  mapping.loops = std::move(loops);
  const auto all = static_cast<int>(mapping.loops.size());
  for (std::size_t operand = 0; operand < mapped->operands.size(); ++operand) {
    OperandTemporalMapping& cuts = mapping.operands.emplace_back();
    cuts.operand = mapped->operands[operand].name;
    // A unit keeps one element: of the operand with a register for as long as it stays.
    if (model.tables().operands[operand].levels == 2) {
      int stay = 0;
      while (stay < all &&
             model.tables().operands[operand].relevancy[static_cast<std::size_t>(mapped->loop_index(
                 mapping.loops[static_cast<std::size_t>(stay)].dimension))] == Relevancy::irrelevant)
        ++stay;
      cuts.stationary.push_back(stay);
    }
    cuts.stationary.push_back(all);
  }
  const auto readable = std::make_shared<const TemporalMapping>(mapping);
  Evaluation evaluation = model.evaluate(readable);
  CHECK(model.score(model.compact(mapping)).latency_total2 == evaluation.latency_total2);
  return evaluation;
}

double cycles_because(const Evaluation& evaluation, const std::string& because) {
  double cycles = 0;
  for (const LatencyPart& part : evaluation.latency_parts)
    if (part.cause == "array" && part.because == because) cycles += part.cycles;
  return cycles;
}

const SpatialUnrolling output_stationary{{{"D1", {{"M", 8}}}, {"D2", {{"N", 8}}}}};
const SpatialUnrolling weight_stationary{{{"D1", {{"C", 4}}}, {"D2", {{"N", 2}}}}};

}  // namespace

TEST_CASE("array pace: each fold fills and drains the array") {
  // 33 x 64 by 64 x 12 on 8 x 8: 10 folds of 64 steps, each 7 + 7 cycles longer.
  Accelerator accelerator = systolic("O", 8, 8);
  const std::vector<TemporalLoop> loops{{"C", 64}, {"M", 5}, {"N", 2}};
  const Evaluation without = evaluated(accelerator, gemm(33, 12, 64), output_stationary, loops);
  CHECK(without.array_cycle == without.ideal_temporal_cycle);
  CHECK(without.array_stall() == 0);
  accelerator.array.fold = ArrayFold{"O", FoldUnits::whole, FoldUnits::whole, "", false};
  const Evaluation folded = evaluated(accelerator, gemm(33, 12, 64), output_stationary, loops);
  CHECK(folded.ideal_temporal_cycle == 640);
  CHECK(folded.array_cycle == 780);
  CHECK(folded.latency_total0 == 780);
  CHECK(cycles_because(folded, "fold") == 140);
  CHECK(folded.energy_total == without.energy_total);
  CHECK(limits_of(folded).size() > 1);
  CHECK(add(folded, folded).array_cycle == 1560);
  CHECK(scale(folded, 3).array_cycle == 3 * 780);
  // In use are 6.6 of the 8 rows on average, and 6 of the 8 columns.
  accelerator.array.fold->fill = accelerator.array.fold->drain = FoldUnits::used;
  CHECK(evaluated(accelerator, gemm(33, 12, 64), output_stationary, loops).array_cycle ==
        640 + 10 * (6 + 5));
  accelerator.array.fold->drain = FoldUnits::none;
  CHECK(evaluated(accelerator, gemm(33, 12, 64), output_stationary, loops).array_cycle == 640 + 10 * 6);
  accelerator.array.fold->overlapped = true;
  CHECK(evaluated(accelerator, gemm(33, 12, 64), output_stationary, loops).array_cycle == 640 + 6);
}

TEST_CASE("array pace: what stays is loaded along a dimension") {
  // 31 x 49 by 49 x 2 on 4 x 4: 13 folds of 31 steps, each 4 + 3 + 3 cycles longer.
  Accelerator accelerator = systolic("I2", 4, 4);
  accelerator.array.fold = ArrayFold{"I2", FoldUnits::whole, FoldUnits::whole, "D1", false};
  const Evaluation folded =
      evaluated(accelerator, gemm(31, 2, 49), weight_stationary, {{"M", 31}, {"C", 13}});
  CHECK(folded.ideal_temporal_cycle == 403);
  CHECK(folded.array_cycle == 533);
  // A relevant loop of one iteration ends no stay; with another one inside, every step is one.
  CHECK(evaluated(accelerator, gemm(31, 2, 49), weight_stationary, {{"C", 1}, {"M", 31}, {"C", 13}})
            .array_cycle == 533);
  CHECK(evaluated(accelerator, gemm(31, 2, 49), weight_stationary, {{"C", 13}, {"M", 31}}).array_cycle ==
        403 + 403 * 10);
}

TEST_CASE("array pace: work comes in blocks of rows, in intervals") {
  // M in blocks of 8 rows, and the first waits for the next weights: 4 * 8 + (16 - 8) cycles a stay.
  Accelerator accelerator = systolic("I2", 1, 1);
  accelerator.array.instruction = ArrayInstruction{"I2", {"Q", "M"}, 16, 4, 16, 7.5};
  const auto cycles = [&](std::int64_t rows, std::vector<TemporalLoop> loops) {
    return evaluated(accelerator, gemm(rows, 1, 4), {}, std::move(loops)).array_cycle;
  };
  CHECK(cycles(8, {{"M", 8}, {"C", 4}}) == 4 * 16);          // new weights take 16 cycles
  CHECK(cycles(32, {{"M", 32}, {"C", 4}}) == 4 * 32);        // two whole blocks hide that
  CHECK(cycles(33, {{"M", 33}, {"C", 4}}) == 4 * (32 + 4));  // the third has one row
  CHECK(cycles(32, {{"M", 2}, {"C", 4}, {"M", 16}}) == 64 * 16);
  accelerator.array.instruction->reload_cycles = 0;
  CHECK(cycles(32, {{"M", 2}, {"C", 4}, {"M", 16}}) == 64 * 7.5);  // 4 cycles, but 7.5 apart
  // No loop of `along`: every step is a block of its own.
  accelerator.array.instruction->along = {"Q"};
  CHECK(cycles(8, {{"M", 8}, {"C", 4}}) == 32 * 7.5);
}

TEST_CASE("array pace: rows are those of the first loop that a stay has") {
  // docs/accelerator-keys.md, FireSim's row 8: 8 x 4 pixels, 64 weight blocks, 40 cycles each.
  ArrayTable table;
  table.has_instruction = true;
  table.rows = 16;
  table.min_cycles = 4;
  table.reload_cycles = 16;
  table.interval = 7.5;
  const ArrayPace pace(table, {.instruction = 32, .rows = 8}, 64 * 32, StepCycles{});
  CHECK(pace.cycles() == 2560);
  CHECK(pace.period(32) == 40);
  CHECK(pace.period(64 * 32) == 2560);
  CHECK(pace.period(8) == 8);             // within a stay
  CHECK(pace.within(64 * 32, 64) == 80);  // a part of the period, at its pace
  CHECK(pace.average() == 1.25);
}
