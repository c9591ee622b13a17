// The closed-form access counts against a loop nest that is really executed.
#include <doctest/doctest.h>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/cost/loop_nest_interpreter.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

/// Compares every loop order of the layer. With words as wide as elements, an access is an element. Where
/// windows overlap, the model reads the repeated elements again, so that it may only count more.
int compare_all_orders(Layer layer, const Accelerator& given, SpatialUnrolling unrolling,
                       bool windows_overlap = false) {
  layer.mapping.spatial_mapping = std::move(unrolling);
  const auto shared_layer = std::make_shared<const Layer>(std::move(layer));
  const auto accelerator = std::make_shared<const Accelerator>(given);
  const ConvertedSpatialMapping converted = convert_spatial_mapping(*shared_layer, *accelerator, {});
  const auto spatial = std::make_shared<const SpatialMapping>(converted.integral);
  Loma search(shared_layer, accelerator, spatial, LomaOptions{});
  const CostModel model(accelerator, shared_layer, spatial, spatial, CostModelOptions{});
  CompactMappings batch;
  int compared = 0;
  for (search.next(batch, 64); !batch.rows.empty(); search.next(batch, 64)) {
    for (std::size_t row = 0; row < batch.rows.size(); ++row) {
      const auto mapping = std::make_shared<const TemporalMapping>(batch.mapping(row));
      const Evaluation evaluation = model.evaluate(mapping);
      const std::vector<CountedMoves> counted = interpret_loop_nest(*shared_layer, *spatial, *mapping);
      for (std::size_t operand = 0; operand < counted.size(); ++operand) {
        const auto& levels = evaluation.operands[operand].levels;
        for (std::size_t level = 0; level < levels.size(); ++level) {
          const auto moves = [&](Direction direction) {
            return levels[level].accesses[static_cast<int>(direction)];
          };
          CAPTURE(row);
          CAPTURE(operand);
          CAPTURE(level);
          const std::int64_t low = moves(operand == 0 ? Direction::write_from_low : Direction::read_to_low);
          const std::int64_t high =
              moves(operand == 0 ? Direction::read_to_high : Direction::write_from_high);
          const bool topmost = level + 1 == levels.size();
          if (windows_overlap && shared_layer->has_relations(static_cast<int>(operand))) {
            CHECK(low >= counted[operand].low[level]);
            CHECK((topmost || high >= counted[operand].high[level]));
          } else {
            CHECK(low == counted[operand].low[level]);
            CHECK((topmost || high == counted[operand].high[level]));
          }
        }
      }
      ++compared;
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("closed-form accesses of a matrix product equal those of the executed loop nest") {
  const SpatialUnrolling unrolling{{{"D1", {{"N", 2}}}, {"D2", {{"C", 2}}}}};
  CHECK(compare_all_orders(gemm(4, 4, 6), small_accelerator(32, 512, 8), unrolling) == 12);
  CHECK(compare_all_orders(gemm(4, 6, 4), small_accelerator(16, 96, 8), unrolling) > 0);
}

TEST_CASE("closed-form accesses of a convolution equal those of the executed loop nest") {
  const SpatialUnrolling unrolling{{{"D1", {{"K", 2}}}, {"D2", {{"C", 2}}}}};
  CHECK(compare_all_orders(convolution(2, 2, 3, 2, 2), small_accelerator(64, 512, 8), unrolling) == 24);
  CHECK(compare_all_orders(convolution(4, 2, 2, 3, 3), small_accelerator(32, 256, 8), unrolling) > 0);
  CHECK(compare_all_orders(convolution(4, 4, 2, 2, 1), small_accelerator(32, 512, 8), unrolling, true) > 0);
}

TEST_CASE("closed-form accesses of numbers in blocks equal those of the executed loop nest") {
  const auto in_blocks = [](Layer layer, std::int64_t of_weights, std::int64_t of_inputs) {
    // A scale is as wide as an element, so that both are accesses.
    for (LayerOperand& operand : layer.operands) {
      if (operand.name == "W") operand.scale = {8, of_weights, "C"};
      if (operand.name == "I" && of_inputs > 0) operand.scale = {8, of_inputs, "C"};
    }
    return layer;
  };
  for (const std::int64_t every : {2, 3, 4, 8}) {
    CAPTURE(every);
    const SpatialUnrolling of_product{{{"D1", {{"N", 2}}}, {"D2", {{"C", 2}}}}};
    CHECK(compare_all_orders(in_blocks(gemm(4, 4, 6), every, 0), small_accelerator(64, 512, 8),
                             of_product) == 12);
    CHECK(compare_all_orders(in_blocks(gemm(4, 6, 4), every, 3), small_accelerator(64, 192, 8),
                             of_product) > 0);
    const SpatialUnrolling of_convolution{{{"D1", {{"K", 2}}}, {"D2", {{"C", 2}}}}};
    CHECK(compare_all_orders(in_blocks(convolution(2, 6, 2, 2, 2), every, 4), small_accelerator(64, 512, 8),
                             of_convolution) > 0);
  }
}
