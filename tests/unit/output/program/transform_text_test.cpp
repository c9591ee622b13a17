#include <doctest/doctest.h>

#include "core/output/program/program_text.hpp"
#include "tests/unit/worlds/hand_example.hpp"

using namespace zz::core;
using namespace zz::test;

// That transformed layers compute what they should is shown by running them: tests/execution/programs.py.

namespace {

std::string script(const Layer& layer = product_by_hand(),
                   const std::vector<TemporalLoop>& order = order_by_hand) {
  return transform_text(layer_program(evaluated(narrow_dram(), layer, order)));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("transform: a product is a named operation, tiled by each loop of the mapping") {
  const std::string text = script();
  // W[k][c] is the transposed one.
  CHECK(text.find("linalg.matmul_transpose_b {zz = \"layer\"}\n      ins(%I, %W : memref<4x8xi32>, "
                  "memref<6x8xi32>) "
                  "outs(%O : memref<4x6xi32>)") != std::string::npos);
  CHECK(count(text, "tile_using_for") == order_by_hand.size());
  // The outermost loop leaves four of eight iterations of C, the last of the operation's loops.
  CHECK(text.find("tile_using_for %op tile_sizes [0, 0, 4]") != std::string::npos);
  CHECK(text.find("// B 2\n") != std::string::npos);
}

TEST_CASE("transform: other layers are generic operations") {
  Layer sum = product_by_hand();
  sum.equation = "O[b][k] = W[b][k] + I[b][k]";
  sum.loops = {{"B", 4}, {"K", 6}};
  sum.operands[1].dimensions = sum.operands[2].dimensions = {"B", "K"};
  const std::string text = script(sum, {{"B", 4}, {"K", 2}});
  CHECK(text.find("linalg.generic") != std::string::npos);
  CHECK(text.find("arith.addi %in1, %in2") != std::string::npos);
  CHECK(text.find("\"reduction\"") == std::string::npos);
}

TEST_CASE("transform: what is not carried stands in the first lines") {
  Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), {{"K", 2}, {"C", 8}, {"B", 4}});
  LayerProgram program = layer_program(evaluation);
  for (ProgramOperand& operand : program.operands)
    for (ProgramBuffer& buffer : operand.at) buffer.second_buffer = false;
  program.of[1].inside_out = {0, 3};
  const std::string inside = transform_text(program);
  CHECK(inside.find("// not carried: which iterations of K a unit takes") != std::string::npos);
  CHECK(inside.find("second buffers") == std::string::npos);
  program.of[1].inside_out = {3, 0};
  program.operands[1].at[1].second_buffer = true;
  const std::string outside = transform_text(program);
  CHECK(outside.find("which iterations of K") == std::string::npos);
  CHECK(outside.starts_with("// not carried: second buffers; each memory has one\n"));
}
