#include "core/workload/layer_precision.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;

namespace {

using Bits = std::vector<OperandPrecision>;

/// A product as a file of floats has it.
Layer product_of_floats() {
  Layer layer = zz::test::gemm(4, 8, 12);
  for (const OperandPrecision& one : Bits{{"O", 32}, {"W", 32}, {"I", 32}, {"O_final", 32}})
    set_precision(layer, one.operand, one.type());
  layer.assumed_precision = {"O", "W", "I", "O_final"};
  return layer;
}

std::int64_t bits(const Layer& layer, const std::string& operand) {
  if (operand == "O_final") return layer.final_output_precision;
  return layer.operands[static_cast<std::size_t>(layer.operand_index(operand))].precision;
}

}  // namespace

TEST_CASE("the units say the bits that a network leaves open, and no others") {
  Layer layer = product_of_floats();
  set_precision(layer, "W", 4);  // somebody said it
  CHECK(adopt_precision(layer, {{"W", 8}, {"I", 8}, {"O", 24}, {"O_final", 8}}));
  CHECK(bits(layer, "W") == 4);
  CHECK(bits(layer, "I") == 8);
  CHECK(bits(layer, "O") == 24);
  CHECK(bits(layer, "O_final") == 8);
  CHECK(layer.assumed_precision.empty());
  CHECK_FALSE(adopt_precision(layer, {{"W", 16}, {"I", 16}}));

  Layer untold = product_of_floats();
  CHECK_FALSE(adopt_precision(untold, {}));
  CHECK(untold == product_of_floats());
}

TEST_CASE("a partial sum has at least the bits of the result") {
  Layer layer = product_of_floats();
  set_precision(layer, "O_final", 32);
  adopt_precision(layer, {{"O", 24}});
  CHECK(bits(layer, "O") == 32);
}

TEST_CASE("a chosen precision comes before the network and after what is named") {
  Layer layer = product_of_floats();
  layer.mapping.operand_precision = {{"W", 32}};
  choose_precision(layer, precision_choice("8"), {"I"});
  CHECK(bits(layer, "W") == 32);
  CHECK(bits(layer, "I") == 32);
  CHECK(bits(layer, "O_final") == 8);
  // Twice as many, unless the units have sums of their own.
  CHECK(bits(layer, "O") == 16);
  CHECK_FALSE(adopt_precision(layer, {{"W", 4}, {"O", 24}}));
  CHECK(bits(layer, "O") == 24);
  CHECK(bits(layer, "W") == 32);
}

TEST_CASE("an operand without bits does not get any") {
  Layer layer = product_of_floats();
  set_precision(layer, "W", 0);
  choose_precision(layer, precision_choice("16"), {});
  CHECK(bits(layer, "W") == 0);
  CHECK(bits(layer, "I") == 16);
}

TEST_CASE("scales that only the file says are left out where units take other numbers") {
  Layer layer = product_of_floats();
  set_precision(layer, "W", {4, {8, 32, "C"}});
  CHECK(leave_out_scales(layer, {{"W", 8}}).empty());  // somebody said them
  assume_scale(layer, "W");
  CHECK(layer.assumed_scales == std::vector<std::string>{"W"});
  CHECK(layer.assumed_precision == std::vector<std::string>{"O", "I", "O_final"});
  CHECK(leave_out_scales(layer, {{"W", 4, {8, 32, ""}}, {"I", 8}}).empty());  // the units take these
  CHECK(leave_out_scales(layer, {{"W", 8}, {"I", 8}}) == std::vector<std::string>{"W"});
  CHECK(bits(layer, "W") == 4);
  CHECK_FALSE(layer.operands[static_cast<std::size_t>(layer.operand_index("W"))].scale.any());
  CHECK(layer.assumed_scales.empty());
}

TEST_CASE("the network's types can be kept") {
  Layer layer = product_of_floats();
  choose_precision(layer, precision_choice("file"), {});
  CHECK_FALSE(adopt_precision(layer, {{"W", 8}, {"I", 8}, {"O", 24}, {"O_final", 8}}));
  CHECK(bits(layer, "W") == 32);
}

TEST_CASE("precisions that cannot be are told with what can") {
  for (const char* wrong : {"0", "7.5", "1000", "-8", "eight", "8 bits", "99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(precision_choice(wrong),
                         (std::string("the precision must be bits (1 to 64), a type of numbers (mxfp4, "
                                      "bf16, ...) or 'file', but found '") +
                          wrong + "'")
                             .c_str(),
                         InputError);
  }
  CHECK_THROWS_WITH_AS(precision_choice("fiel"),
                       "the precision must be bits (1 to 64), a type of numbers (mxfp4, bf16, ...) or "
                       "'file', but found 'fiel'; did you mean 'file'?",
                       InputError);
}
