// Units that do not divide their loop: each portion has whole words, as many as the layer's own iterations
// need, counted one by one from the loops (moved_words.hpp).
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/output/program/layer_program.hpp"
#include "core/output/program/moved_words.hpp"
#include "tests/unit/worlds/hand_example.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Units in two dimensions, each with a register for weights and one for inputs; words of `word` bits.
Accelerator registers_below_buffer(std::int64_t word) {
  return accelerator_with("registers", {3, 2},
                          {one_port_memory("weights", 64, {"I2"}, {}, word, word),
                           one_port_memory("inputs", 64, {"I1"}, {"D2"}, word, word),
                           one_port_memory("buffer", 4096, {"I1", "I2", "O"}, {"D1", "D2"}, word, word),
                           one_port_memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1", "D2"}, 8, 8)});
}

Layer convolution_on(const std::string& first, std::int64_t first_units, const std::string& second,
                     std::int64_t second_units) {
  Layer layer = product_by_hand();
  layer.equation = "O[k][ox] = W[k][fx] * I[ix]";
  layer.loops = {{"K", 5}, {"OX", 7}, {"FX", 3}};
  layer.relations = {{"IX", 1, "OX", 1, "FX", 9, 0, 0, true}};
  layer.operands[0].dimensions = {"K", "OX"};
  layer.operands[1].dimensions = {"K", "FX"};
  layer.operands[2].dimensions = {"IX"};
  layer.mapping.spatial_mapping = {{{"D1", {{first, first_units}}}, {"D2", {{second, second_units}}}}};
  return layer;
}

Layer product_on(const std::string& first, std::int64_t first_units, const std::string& second,
                 std::int64_t second_units) {
  Layer layer = product_by_hand();
  layer.loops = {{"B", 5}, {"K", 5}, {"C", 7}};
  layer.mapping.spatial_mapping = {{{"D1", {{first, first_units}}}, {"D2", {{second, second_units}}}}};
  return layer;
}

struct Counts {
  int moves = 0, equal = 0, of_leading_above = 0, below_on_average = 0;
};

/// Every order of the loops that are left for time, in prime factors.
void count_orders(const Accelerator& accelerator, const Layer& layer, Counts& counts) {
  std::vector<TemporalLoop> order;
  for (const LoopDimension& loop : layer.loops) {
    std::int64_t units = 1;
    for (const ArrayUnrolling& unrolled : layer.mapping.spatial_mapping.dimensions)
      for (const SpatialLoop& one : unrolled.loops)
        if (one.dimension == loop.name) units *= one.factor;
    std::int64_t rounds = (loop.size + units - 1) / units;
    for (std::int64_t prime = 2; rounds > 1; ++prime)
      for (; rounds % prime == 0; rounds /= prime) order.push_back({loop.name, prime});
  }
  const auto less = [](const TemporalLoop& a, const TemporalLoop& b) { return a.dimension < b.dimension; };
  std::sort(order.begin(), order.end(), less);
  do {
    const LayerProgram program = layer_program(evaluated(accelerator, layer, order));
    // There are no figures of ZigZag's of numbers in blocks.
    const bool in_blocks = layer.final_output_scale.any();
    const Evaluation on_average =
        evaluated(accelerator, layer, order, {.rules = {.words_of_average_round = !in_blocks}});
    for (const ProgramMove& move : program.moves) {
      const MovedWords words = moved_words(program, move);
      CAPTURE(program.operands[move.operand].name);
      CAPTURE(direction_names[static_cast<int>(move.direction)]);
      CAPTURE(move.boundary);
      CHECK(words.unexecuted >= 0);
      ++counts.moves;
      if (words.unexecuted == 0) ++counts.equal;
      const int level = move.boundary - (move.below() ? 1 : 0);
      const auto average =
          on_average.operands[move.operand].levels[level].accesses[static_cast<int>(move.direction)];
      CHECK(average <= move.accesses);
      const std::int64_t executed = move.accesses - words.unexecuted;
      if (average < executed) ++counts.below_on_average;
      // What is more than on average is what is executed: the leading operand is counted exactly.
      if (move.operand == 2 && average < executed && words.unexecuted != 0) ++counts.of_leading_above;
    }
  } while (std::next_permutation(order.begin(), order.end(), less));
}

}  // namespace

TEST_CASE("uneven portions: no count is below the portions one by one, in any order of the loops") {
  Counts counts;
  for (const std::int64_t word : {8, 16, 24, 64}) {
    const Accelerator accelerator = registers_below_buffer(word);
    for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
             {"K", "OX"}, {"OX", "K"}, {"OX", "FX"}, {"FX", "OX"}, {"FX", "K"}, {"OX", "OX"}})
      count_orders(accelerator, convolution_on(first, 3, second, 2), counts);
    for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
             {"K", "C"}, {"C", "K"}, {"B", "C"}, {"C", "B"}, {"K", "B"}, {"C", "C"}})
      count_orders(accelerator, product_on(first, 3, second, 2), counts);
  }
  CHECK(counts.moves > 1000);
  CHECK(counts.below_on_average > 20);
  CHECK(counts.of_leading_above == 0);
  CHECK(counts.equal > counts.moves / 2);
}

TEST_CASE("uneven portions: nor are those of numbers in blocks below the portions with their scales") {
  Counts counts;
  for (const std::int64_t word : {8, 24}) {
    const Accelerator accelerator = registers_below_buffer(word);
    for (const std::int64_t every : {2, 3, 5}) {
      for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
               {"K", "C"}, {"C", "K"}, {"B", "C"}, {"K", "B"}, {"C", "C"}}) {
        Layer layer = product_on(first, 3, second, 2);
        for (LayerOperand& operand : layer.operands) {
          if (operand.name == "W") operand.scale = {5, every, "C"};
          if (operand.name == "I") operand.scale = {8, every + 1, second == "B" ? "B" : "C"};
        }
        layer.final_output_scale = {4, every, "K"};
        count_orders(accelerator, layer, counts);
      }
    }
  }
  CHECK(counts.moves > 1000);
  CHECK(counts.equal > counts.moves / 2);
}
