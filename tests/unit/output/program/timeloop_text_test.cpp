#include <doctest/doctest.h>

#include "core/output/program/program_text.hpp"
#include "tests/unit/worlds/hand_example.hpp"

using namespace zz::core;
using namespace zz::test;

// That TimeloopStage reads it with the same figures is shown by tests/pipeline/timeloop_written.py.

namespace {

std::string text(Evaluation evaluation, int inside) {
  auto mapping = std::make_shared<TemporalMapping>(*evaluation.temporal_mapping);
  for (OperandTemporalMapping& operand : mapping->operands) operand.allocated[0] = inside;
  evaluation.temporal_mapping = mapping;
  return timeloop_text(layer_program(evaluation), evaluation);
}

}  // namespace

TEST_CASE("timeloop: factors and orders by memory, the innermost first") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  CHECK(text(evaluation, 3) ==
        "mapping:\n"
        "- {target: \"buffer\", type: spatial, factors: [B=1, K=3, C=1], permutation: [K, B, C]}\n"
        "- {target: \"buffer\", type: temporal, factors: [B=4, K=2, C=1], permutation: [B, K, C]}\n"
        "- {target: \"dram\", type: temporal, factors: [B=1, K=1, C=8], permutation: [C, B, K]}\n");
}

TEST_CASE("timeloop: what it cannot say stands in the first lines") {
  const Evaluation evaluation =
      evaluated(narrow_dram(), product_by_hand(), {{"B", 2}, {"K", 2}, {"B", 2}, {"C", 8}});
  const std::string told = text(evaluation, 3);
  CHECK(told.starts_with("# not carried: 'buffer' has several loops of B with others between\nmapping:\n"));
  Evaluation uneven = evaluation;
  auto mapping = std::make_shared<TemporalMapping>(*evaluation.temporal_mapping);
  mapping->operands[0].allocated[0] = 2;
  mapping->operands[1].allocated[0] = 1;
  mapping->operands[2].allocated[0] = 2;
  uneven.temporal_mapping = mapping;
  CHECK(timeloop_text(layer_program(uneven), uneven).find("# not carried: W is cut at 'buffer' apart") ==
        0);
}
