#include <algorithm>
#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/search/fused/fused_check.hpp"
#include "core/search/fused/fused_search.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "tests/unit/search/fused/einsums.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

/// Transfers of fused mappings, counted step by step.
namespace zz {
namespace {

using Role = core::FusedOperand::Role;

/// Blocks that a memory of an operand was given, and gave back, by walking all steps of a layer. Between
/// two phases other layers run: what is not kept, or waiting, is gone then.
struct Blocks {
  double elements = 0;   ///< of all blocks that came
  double scales = 0;     ///< of numbers in blocks, those of finished outputs
  bool partial = false;  ///< some block comes again: outputs are partial sums on the way
};

class Walk {
 public:
  Walk(const core::FusedNetwork& network, const core::FusedMapping& mapping, int index)
      : layer_(*network.layers[static_cast<std::size_t>(index)].layer),
        member_(mapping.layers[static_cast<std::size_t>(index)]) {
    int position = member_.mapping.loops;
    for (const core::SharedLoop& shared : member_.shared) {
      for (std::int64_t left = shared.iterations; left > 1;) left /= member_.mapping.size[--position];
      above_.push_back(position);
    }
  }

  /// `level`: of the memory; `stays`: data stay there between phases below so many shared loops, -1: none
  /// do.
  Blocks count(int operand, int level, int stays) const {
    const core::CompactMapping& nest = member_.mapping;
    const int cut = nest.stationary[operand][level];
    const int phase = above_.empty() ? nest.loops : above_.back();  // loops from here on are shared
    // Loops over which the data are gone with each iteration.
    const int gone = stays < 0    ? phase
                     : stays == 0 ? nest.loops
                                  : above_[static_cast<std::size_t>(stays) - 1];
    const auto relevant = [&](int loop) {
      return layer_.relevancy(operand, nest.dimension[loop]) != core::Relevancy::irrelevant;
    };
    Blocks blocks;
    std::vector<std::int64_t> at(static_cast<std::size_t>(nest.loops), 0);
    std::map<std::vector<std::int64_t>, int> seen;
    std::vector<std::int64_t> block, phase_of, last_block, last_phase;
    bool first = true;
    for (bool more = true; more; more = next(at)) {
      // The last tile of a dimension ends with it.
      const std::vector<std::int64_t> begins = positions(at, 0);
      bool beyond = false;
      for (std::size_t dimension = 0; dimension < begins.size(); ++dimension)
        beyond = beyond || begins[dimension] >= layer_.loops[dimension].size;
      if (beyond) continue;
      block.clear(), phase_of.clear();
      for (int loop = cut; loop < nest.loops; ++loop)
        if (relevant(loop)) block.push_back(at[static_cast<std::size_t>(loop)]);
      for (int loop = gone; loop < nest.loops; ++loop)
        phase_of.push_back(at[static_cast<std::size_t>(loop)]);
      if (first || block != last_block || phase_of != last_phase) {
        const std::vector<std::int64_t> from = positions(at, cut);
        const double all = elements(operand, cut, from);
        blocks.elements += all;
        blocks.scales += all * scales_of_element(operand, cut, from);
        blocks.partial = ++seen[block] > 1 || blocks.partial;
      }
      first = false;
      last_block = block, last_phase = phase_of;
    }
    return blocks;
  }

 private:
  /// The next step of the nest; false: there is none.
  bool next(std::vector<std::int64_t>& at) const {
    for (std::size_t loop = 0; loop < at.size(); ++loop) {
      if (++at[loop] < member_.mapping.size[loop]) return true;
      at[loop] = 0;
    }
    return false;
  }

  /// Where the block below the loops from `cut` on begins, by dimension.
  std::vector<std::int64_t> positions(const std::vector<std::int64_t>& at, int cut) const {
    std::vector<std::int64_t> begins(layer_.loops.size(), 0), strides(layer_.loops.size(), 1);
    for (int loop = 0; loop < member_.mapping.loops; ++loop) {
      const std::size_t dimension = member_.mapping.dimension[loop];
      if (loop >= cut) begins[dimension] += at[static_cast<std::size_t>(loop)] * strides[dimension];
      strides[dimension] *= member_.mapping.size[loop];
    }
    return begins;
  }

  /// Each row along the blocks has a scale for those that begin in it.
  double scales_of_element(int operand, int loops, const std::vector<std::int64_t>& begins) const {
    const core::BlockScale& scale =
        operand == 0 ? layer_.final_output_scale : layer_.operands[static_cast<std::size_t>(operand)].scale;
    if (!scale.any()) return 0;
    std::int64_t row = walked_from(loops, begins).at(scale.along), scales = 0;
    const auto all = static_cast<double>(row);
    for (; row > 0; row -= scale.every) ++scales;
    return static_cast<double>(scales) / all;
  }

  /// Iterations of each loop of the layer in so many loops of the nest from there.
  std::map<std::string, std::int64_t> walked_from(int loops,
                                                  const std::vector<std::int64_t>& begins) const {
    std::map<std::string, std::int64_t> walked;
    for (const core::LoopDimension& loop : layer_.loops) walked[loop.name] = 1;
    for (int loop = 0; loop < loops; ++loop)
      walked[layer_.loops[member_.mapping.dimension[loop]].name] *= member_.mapping.size[loop];
    for (std::size_t loop = 0; loop < begins.size(); ++loop)
      walked[layer_.loops[loop].name] =
          std::min(walked[layer_.loops[loop].name], layer_.loops[loop].size - begins[loop]);
    return walked;
  }

  /// Elements of an operand that so many loops of the nest touch from there.
  double elements(int operand, int loops, const std::vector<std::int64_t>& begins) const {
    std::map<std::string, std::int64_t> walked = walked_from(loops, begins);
    double product = 1;
    for (const std::string& dimension : layer_.operands[static_cast<std::size_t>(operand)].dimensions) {
      if (walked.count(dimension) > 0) product *= static_cast<double>(walked[dimension]);
      for (const core::DimensionRelation& window : layer_.relations) {
        if (window.data != dimension) continue;
        std::set<std::int64_t> positions;
        for (std::int64_t output = 0; output < walked[window.output_loop]; ++output)
          for (std::int64_t tap = 0; tap < walked[window.filter_loop]; ++tap)
            positions.insert(window.stride * output + window.dilation * tap);
        product *= static_cast<double>(std::min(window.size, static_cast<std::int64_t>(positions.size())));
      }
    }
    return product;
  }

  const core::Layer& layer_;
  const core::FusedLayer& member_;
  std::vector<int> above_;  ///< by shared loop, from the outermost one: loops of the nest below it
};

/// Words that cross each boundary between memories, as the cost model has them and as walked.
void compare(const core::FusedNetwork& network, const core::FusedMapping& mapping, int index) {
  const core::FusedLayer& member = mapping.layers[static_cast<std::size_t>(index)];
  const core::NetworkLayer& own = network.layers[static_cast<std::size_t>(index)];
  const core::MappingProblem& problem = member.problem;
  const core::Evaluation evaluation =
      core::model_of(problem).evaluate(std::make_shared<const core::TemporalMapping>(
          core::readable(member.mapping, *problem.layer, *problem.fractional)));
  CHECK(evaluation.energy_total == doctest::Approx(member.energy).epsilon(1e-9));
  const Walk walk(network, mapping, index);
  for (std::size_t operand = 0; operand < evaluation.operands.size(); ++operand) {
    const core::LayerOperand& data = own.layer->operands[operand];
    if (data.precision == 0) continue;  // a layer of one input
    const auto& levels = evaluation.operands[operand].levels;
    const core::FusedOperand& of = member.operands[operand];
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
      const core::LevelCost& above = levels[level + 1];
      if (above.memory == "exchange") continue;  // as wide as all of it
      CAPTURE(own.layer->name);
      CAPTURE(data.name);
      CAPTURE(above.memory);
      const bool stays =
          of.role != Role::brought &&
          levels[level].memory == core::exchange_memory_name(network, member.exchange_memory);
      const Blocks blocks =
          walk.count(static_cast<int>(operand), static_cast<int>(level), stays ? of.depth : -1);
      const bool output = operand == 0;
      const double bits = static_cast<double>(output && !blocks.partial ? own.layer->final_output_precision
                                                                        : data.precision);
      const core::BlockScale& scale = !output          ? data.scale
                                      : blocks.partial ? data.scale
                                                       : own.layer->final_output_scale;
      const auto words = static_cast<std::int64_t>(
          (blocks.elements * bits + blocks.scales * static_cast<double>(scale.bits)) / 8 + 1e-6);
      const auto& accesses = above.accesses;
      CHECK(accesses[static_cast<int>(core::Direction::write_from_low)] == (output ? words : 0));
      CHECK(accesses[static_cast<int>(core::Direction::read_to_low)] ==
            (!output || blocks.partial ? words : 0));
    }
  }
}

/// Seeds from `first` on; of three groups one has registers below the buffer, and one a memory of sums that
/// moves results there. `store`: with a second memory that can be the exchange memory. `rows`: of the axis
/// that all layers share, where its tiles need not divide it; the number of groups with a smaller last
/// tile.
int walk_groups(std::uint64_t first, int groups, test::RandomGroup (*make)(std::uint64_t, bool),
                bool store = false, std::int64_t rows = 0) {
  int walked = 0, shorter = 0;
  for (std::uint64_t seed = first; walked < groups; ++seed) {
    test::RandomGroup group = make(seed, seed / 8 % 3 > 0);
    if (seed / 8 % 3 == 2) group.unit.accumulator_bits = 2 * std::exchange(group.unit.register_bits, 0);
    if (store) group = test::with_store(group, seed);
    if (rows > 0) group.network.sizes['m'] = rows;
    CAPTURE(seed);
    CAPTURE(group.network.kind);
    core::FusedNetwork network;
    try {
      network = test::fusable(test::workload(group.network), test::accelerator(group.unit));
    } catch (const core::NoResult&) {
      continue;  // some layer does not fit by itself
    }
    const core::FusedOptimum found = core::find_fused_mapping(network, {.enlarge = rows > 0 ? 0.2 : 0});
    CHECK(core::fused_violations(found.network, found.mapping).empty());
    for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer)
      compare(found.network, found.mapping, layer);
    shorter += found.network.lengths.first < found.network.lengths.second ? 1 : 0;
    ++walked;
  }
  return shorter;
}

}  // namespace

TEST_CASE("fused check: transfers are those of a walk through all steps") {
  walk_groups(1, test::daily(60, 200), &test::random_group);
  walk_groups(1, test::daily(20, 60), &test::random_filters);
}

TEST_CASE("fused check: transfers of numbers in blocks are those of a walk through all steps") {
  walk_groups(1, test::daily(30, 100), &test::random_blocks);
  walk_groups(1, test::daily(10, 30), &test::random_blocks, true);
  for (const std::int64_t rows : {5, 7})
    walk_groups(1, test::daily(8, 20), &test::random_blocks, false, rows);
}

TEST_CASE("fused check: transfers with a smaller last tile are those of a walk through all steps") {
  for (const std::int64_t rows : {5, 7, 11})
    CHECK(walk_groups(1, test::daily(20, 60), &test::random_group, false, rows) > test::daily(1, 5));
}

TEST_CASE(
    "fused check: transfers with either of two exchange memories are those of a walk through all steps") {
  walk_groups(1, test::daily(30, 100), &test::random_group, true);
  walk_groups(1, test::daily(15, 40), &test::random_filters, true);
}

TEST_CASE("fused check: transfers through filters are those of a walk through all steps") {
  test::NetworkBuilder builder;
  builder.add(test::conv_layer(0, {.k = 4, .c = 2, .oy = 3, .ox = 3, .iy = 3, .ix = 3}, -1));
  builder.add(
      test::conv_layer(1, {.g = 4, .oy = 3, .ox = 3, .fy = 3, .fx = 3, .padding = 1, .iy = 3, .ix = 3}, 0));
  builder.add(test::conv_layer(2, {.k = 2, .c = 4, .oy = 3, .ox = 3, .iy = 3, .ix = 3}, 1));
  builder.add(test::conv_layer(3, {.k = 4, .c = 2, .oy = 3, .ox = 3, .iy = 3, .ix = 3}, 2));
  for (const std::int64_t buffer : {16, 24, 40, 60, 90, 200}) {
    CAPTURE(buffer);
    const core::FusedNetwork network =
        test::fusable(builder.workload(), test::accelerator({8 * buffer, 8}));
    const core::FusedOptimum found = core::find_fused_mapping(network, {});
    CHECK(found.value <= found.unfused);
    CHECK(core::fused_violations(found.network, found.mapping).empty());
    for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer)
      compare(found.network, found.mapping, layer);
  }
}

TEST_CASE("fused check: transfers of rows that windows share are those of a walk through all steps") {
  int cut = 0;
  for (const std::int64_t stride : {1, 2}) {
    const std::int64_t rows = 6 / stride;
    test::NetworkBuilder builder;
    builder.add(test::conv_layer(0, {.k = 4, .c = 2, .oy = 6, .ox = 6, .iy = 6, .ix = 6}, -1));
    builder.add(test::conv_layer(1,
                                 {.k = 3,
                                  .c = 4,
                                  .oy = rows,
                                  .ox = rows,
                                  .fy = 3,
                                  .fx = 3,
                                  .stride = stride,
                                  .padding = 1,
                                  .iy = 6,
                                  .ix = 6},
                                 0));
    builder.add(test::conv_layer(2, {.k = 4, .c = 3, .oy = rows, .ox = rows, .iy = rows, .ix = rows}, 1));
    for (const std::int64_t buffer : {40, 90, 130, 170, 210, 260, 330, 400}) {
      CAPTURE(stride);
      CAPTURE(buffer);
      const core::FusedNetwork network =
          test::fusable(builder.workload(), test::accelerator({8 * buffer, 8}));
      const core::FusedOptimum found = core::find_fused_mapping(network, {});
      CHECK(found.value <= found.unfused);
      CHECK(core::fused_violations(found.network, found.mapping).empty());
      for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer)
        compare(found.network, found.mapping, layer);
      for (const core::SharedLoop& loop : found.mapping.layers.front().shared)
        for (const core::SlidingWindow& window : network.tensors.front().uses.front().windows)
          cut += window.axis == loop.axis ? 1 : 0;
    }
  }
  CHECK(cut > 0);
}

TEST_CASE("fused check: ten thousand groups are walked through all steps" * doctest::skip()) {
  walk_groups(200000, 8000, &test::random_group);
  walk_groups(200000, 2000, &test::random_filters);
  walk_groups(400000, 2000, &test::random_group, true);
}

}  // namespace zz
