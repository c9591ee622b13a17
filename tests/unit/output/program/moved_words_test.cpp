#include "core/output/program/moved_words.hpp"

#include <doctest/doctest.h>

#include "tests/unit/worlds/hand_example.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

struct Found {
  MovedWords words;
  ProgramMove move;
};

Found at(const LayerProgram& program, int operand, int boundary, Direction direction) {
  for (const ProgramMove& move : program.moves)
    if (move.operand == operand && move.boundary == boundary && move.direction == direction)
      return {moved_words(program, move), move};
  FAIL("no such move");
  return {};
}

/// O[k][ox] of 3x3 windows with a border of one position, on two units.
Layer padded() {
  Layer layer = product_by_hand();
  layer.equation = "O[k][ox] = W[k][fx] * I[ix]";
  layer.loops = {{"K", 2}, {"OX", 8}, {"FX", 3}};
  layer.relations = {{"IX", 1, "OX", 1, "FX", 8, 1, 1, true}};
  layer.operands[0].dimensions = {"K", "OX"};
  layer.operands[1].dimensions = {"K", "FX"};
  layer.operands[2].dimensions = {"IX"};
  layer.mapping.spatial_mapping = {{{"D1", {{"K", 2}}}}};
  return layer;
}

}  // namespace

TEST_CASE("moved words: what goes up and comes back, by hand") {
  // The buffer sums up over all of C, which is innermost: 4 x 6 results, each summed up eight times.
  const LayerProgram program = layer_program(
      evaluated(narrow_dram(), product_by_hand(), {{"C", 2}, {"C", 2}, {"C", 2}, {"B", 4}, {"K", 2}}));
  // Three sums of 16 bits fit into a word of 64: one for each of 64 steps.
  CHECK(at(program, 0, 0, Direction::write_from_low).words.executed == 64);
  // Of each eight the first one finds nothing.
  const Found back = at(program, 0, 0, Direction::read_to_low);
  CHECK(back.words.executed == 56);
  CHECK(back.words.unexecuted == 8);
  CHECK(back.words.because == MoveCause::first_sums);
  // Weights of 8 bits through a port of 8: 48 elements.
  CHECK(at(program, 1, 1, Direction::read_to_low).words.executed % 48 == 0);
}

TEST_CASE("moved words: a layer that counts several times moves its words as often") {
  Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  const auto once = at(layer_program(evaluation), 1, 0, Direction::read_to_low).words.executed;
  evaluation = scale(evaluation, 3);
  CHECK(evaluation.times == 3);
  CHECK(at(layer_program(evaluation), 1, 0, Direction::read_to_low).words.executed == 3 * once);
}

TEST_CASE("moved words: nothing beside the tensor is moved") {
  const LayerProgram program = layer_program(evaluated(narrow_dram(), padded(), {{"OX", 8}, {"FX", 3}}));
  // Of 24 pairs the first and the last position are padding.
  const Found reads = at(program, 2, 0, Direction::read_to_low);
  CHECK(reads.words.executed == 22);
  CHECK(reads.move.accesses == 24);
  CHECK(reads.words.because == MoveCause::padding);
}

TEST_CASE("moved words: every cause has its name") {
  CHECK(name_of(MoveCause::first_sums) == "first sums");
  CHECK(name_of(MoveCause::padding) == "padding");
  CHECK(name_of(MoveCause::halo) == "halo");
  CHECK(name_of(MoveCause::remainder) == "remainder");
}
