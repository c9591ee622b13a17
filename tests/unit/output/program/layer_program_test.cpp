#include "core/output/program/layer_program.hpp"

#include <doctest/doctest.h>
#include <set>

#include "core/base/diagnostics.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "tests/unit/worlds/hand_example.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// All iterations that the digits of a dimension make, rounds beyond the last one left out.
std::multiset<std::int64_t> iterations(const LayerProgram& program, int dimension) {
  std::multiset<std::int64_t> made;
  const DigitsOfDimension& all = program.of[dimension];
  std::vector<std::int64_t> values(program.digits.size(), 0);
  for (bool more = true; more;) {
    std::int64_t round = 0;
    for (const int digit : all.inside_out)
      if (!program.digits[digit].units) round += values[digit] * program.rounds_below(digit);
    if (round < all.rounds) made.insert(program.iteration(dimension, values));
    more = false;
    for (const int digit : all.inside_out) {
      more = ++values[digit] < program.digits[digit].size;
      if (more) break;
      values[digit] = 0;
    }
  }
  return made;
}

/// Every iteration from 0 on, once.
void check_covers(const LayerProgram& program, int dimension) {
  const std::multiset<std::int64_t> made = iterations(program, dimension);
  CHECK(*made.rbegin() + 1 == static_cast<std::int64_t>(made.size()));
  CHECK(std::set<std::int64_t>(made.begin(), made.end()).size() == made.size());
  CHECK(static_cast<std::int64_t>(made.size()) >= program.of[dimension].iterations);
}

std::string refused(const Evaluation& evaluation) {
  try {
    layer_program(evaluation);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("program: six iterations on four units are two rounds on three") {
  const LayerProgram program = layer_program(evaluated(narrow_dram(), product_by_hand(), order_by_hand));
  REQUIRE(program.digits.size() == 7);
  CHECK(program.loops == 6);
  CHECK(program.digits.back().units);
  CHECK(program.digits.back().size == 3);
  CHECK(program.of[1].rounds == 2);
  CHECK_FALSE(program.of[1].uneven);
  for (int dimension = 0; dimension < 3; ++dimension) check_covers(program, dimension);
}

TEST_CASE("program: units share out what a last tile has left") {
  Layer product = product_by_hand();
  product.loops = {{"B", 4}, {"K", 50}, {"C", 8}};
  // Thirteen rounds in tiles of five, the last one of three.
  const LayerProgram program =
      layer_program(evaluated(narrow_dram(), product, {{"K", 5}, {"B", 4}, {"C", 8}, {"K", 3}}));
  const DigitsOfDimension& k = program.of[1];
  CHECK(k.rounds == 13);
  CHECK(k.ragged);
  CHECK(k.uneven);
  check_covers(program, 1);
  CHECK(iterations(program, 1).size() == 52);
}

TEST_CASE("program: a memory's tile has the loops below its cut and the units below the memory") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  const LayerProgram program = layer_program(evaluation);
  const ProgramOperand& weights = program.operands[1];
  REQUIRE(weights.at.size() == 3);
  CHECK(weights.at[0].memory.empty());
  CHECK(weights.at[0].tile.loops == 2);  // B changes no weight
  CHECK(weights.at[1].memory == "buffer");
  CHECK(weights.at[1].tile.loops == evaluation.temporal_mapping->operands[1].stationary[0]);
  CHECK(program.extent(weights, 1, weights.at[0].tile) == 1);
  CHECK(program.extent(weights, 1, weights.at[1].tile) % 3 == 0);
  CHECK(program.extent(weights, 1, weights.at[2].tile) == 6);
}

TEST_CASE("program: second buffers are where both fit") {
  for (const std::int64_t size : {256, 512, 640, 2048}) {
    Accelerator accelerator = narrow_dram();
    accelerator.memories[0].size = size;
    const LayerProgram program = layer_program(evaluated(accelerator, product_by_hand(), order_by_hand));
    std::int64_t bits = 0, buffers = 0;
    for (const ProgramOperand& operand : program.operands) {
      const ProgramBuffer& buffer = operand.at[1];
      std::int64_t tile = operand.precision;
      for (const Axis& axis : operand.axes) tile *= program.extent(operand, axis.loop, buffer.tile);
      // The results of a buffer that sums them up to the end are of 8 bits.
      if (operand.output && buffer.tile.loops == program.loops) tile /= 2;
      bits += buffer.second_buffer ? 2 * tile : tile;
      buffers += buffer.second_buffer ? 2 : 1;
    }
    CHECK(bits <= size);
    CHECK(buffers >= 3);
  }
}

TEST_CASE("program: what nobody can execute is refused by name, with what can be") {
  Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  CHECK(refused(evaluation).empty());
  SUBCASE("a schedule") {
    evaluation.schedule = std::make_shared<const Schedule>();
    CHECK(refused(evaluation).find("several cores") != std::string::npos);
  }
  SUBCASE("a layer of a group") {
    evaluation.fused = GroupMember{};
    CHECK(refused(evaluation).find("'product' shares loops with the other layers of its group 1") !=
          std::string::npos);
  }
  SUBCASE("work on elements") {
    Layer work = product_by_hand();
    work.vector_work = true;
    evaluation.layer = std::make_shared<const Layer>(work);
    CHECK(refused(evaluation).find("one by one on one core") != std::string::npos);
  }
  SUBCASE("a sum") {
    evaluation.layer = nullptr;
    CHECK(refused(evaluation).find("a sum of layers") != std::string::npos);
  }
  SUBCASE("figures of ZigZag") {
    evaluation.cost_model->rules = rules_of("zigzag-3.9");
    CHECK(refused(evaluation).find("without 'compat'") != std::string::npos);
  }
  SUBCASE("half a run") {
    evaluation.times = 1.5;
    CHECK(refused(evaluation).find("1.5 times") != std::string::npos);
  }
  SUBCASE("a mapping of another layer") {
    auto other = std::make_shared<TemporalMapping>(*evaluation.temporal_mapping);
    other->loops.back().dimension = "OX";
    evaluation.temporal_mapping = other;
    CHECK(refused(evaluation).find("no loop OX") != std::string::npos);
  }
}
