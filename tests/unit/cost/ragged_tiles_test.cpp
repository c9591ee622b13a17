// Tiles that do not divide their loop, against nests that are really executed: step by step, and a last
// tile ends with its loop.
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/cost/latency.hpp"
#include "core/cost/port_load.hpp"
#include "core/cost/tiles_below.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

struct Nest {
  std::shared_ptr<const Layer> layer;
  std::shared_ptr<const Accelerator> accelerator;
  std::shared_ptr<const SpatialMapping> spatial;
  std::shared_ptr<const TemporalMapping> temporal;
  std::vector<std::int64_t> rounds;  ///< by loop of the layer
};

/// The loops of a dimension: one, or a chain of tiles that need not divide the rounds.
std::vector<std::int64_t> random_chain(std::mt19937& random, std::int64_t rounds) {
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(2, most)(random);
  };
  std::vector<std::int64_t> sizes;
  std::int64_t tile = 1;
  for (int loops = 0; loops < 2 && (rounds - 1) / tile >= 2 && random() % 4 != 0; ++loops) {
    sizes.push_back(up_to((rounds - 1) / tile));
    tile *= sizes.back();
  }
  if (tile < rounds) sizes.push_back((rounds + tile - 1) / tile);
  return sizes;
}

/// Without room in mind: memories are large. Cuts lie where searches leave them, below a loop that the
/// operand has.
Nest random_nest(std::mt19937& random) {
  const auto few = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(1, most)(random);
  };
  Nest nest;
  Layer layer;
  SpatialUnrolling unrolling;
  const bool unrolls = random() % 2 == 0;
  const auto times = [&](std::int64_t rounds) { return rounds * (unrolls ? 2 : 1); };
  if (random() % 2 == 0) {
    layer = gemm(few(9), times(few(9)), times(few(7)));
    if (unrolls) unrolling = {{{"D1", {{"N", 2}}}, {"D2", {{"C", 2}}}}};
  } else {
    layer = convolution(times(few(4)), times(few(3)), 1 + few(4), few(3), few(2));
    if (unrolls) unrolling = {{{"D1", {{"K", 2}}}, {"D2", {{"C", 2}}}}};
  }
  layer.mapping.spatial_mapping = unrolling;
  nest.layer = std::make_shared<const Layer>(std::move(layer));
  constexpr std::int64_t words[] = {8, 8, 24, 64};
  nest.accelerator =
      std::make_shared<const Accelerator>(small_accelerator(1 << 22, 1 << 22, words[random() % 4]));
  nest.spatial = std::make_shared<const SpatialMapping>(
      convert_spatial_mapping(*nest.layer, *nest.accelerator, {}).fractional);
  TemporalMapping temporal;
  std::vector<std::vector<std::int64_t>> chains;
  std::vector<std::size_t> order;
  for (const LoopDimension& loop : nest.layer->loops) {
    std::int64_t rounds = loop.size;
    for (const ArrayUnrolling& along : unrolling.dimensions)
      if (along.loops.front().dimension == loop.name) rounds /= 2;
    nest.rounds.push_back(rounds);
    chains.push_back(random_chain(random, rounds));
    order.insert(order.end(), chains.back().size(), chains.size() - 1);
  }
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::size_t> next(chains.size(), 0);
  for (const std::size_t loop : order)
    temporal.loops.push_back({nest.layer->loops[loop].name, chains[loop][next[loop]++]});
  const int loops = static_cast<int>(temporal.loops.size());
  for (std::size_t operand = 0; operand < nest.layer->operands.size(); ++operand) {
    const std::size_t levels = nest.spatial->operands[operand].levels.size() - 1;
    std::vector<int> cuts;
    for (std::size_t level = 0; level + 1 < levels; ++level)
      cuts.push_back(static_cast<int>(random() % static_cast<unsigned>(loops + 1)));
    std::sort(cuts.begin(), cuts.end());
    for (int& cut : cuts)
      while (cut < loops && nest.layer->relevancy(static_cast<int>(operand),
                                                  static_cast<int>(order[cut])) == Relevancy::irrelevant)
        ++cut;
    cuts.push_back(loops);
    temporal.operands.push_back({nest.layer->operands[operand].name, cuts, cuts});
  }
  nest.temporal = std::make_shared<const TemporalMapping>(std::move(temporal));
  return nest;
}

/// What lies below a cut at one time.
struct Block {
  std::vector<std::int64_t> elements;  ///< addresses, each once
  std::int64_t steps = 0;
  std::int64_t last_part = 0;  ///< steps since the loops from `part` on went on the last time
};

/// All blocks of the innermost `inside` loops, in their order; data of the units that are unrolled up to
/// architecture level `level` of the operand.
std::vector<Block> executed_blocks(const Nest& nest, int operand, std::size_t level, int inside,
                                   int part = 0) {
  const Layer& layer = *nest.layer;
  std::vector<std::int64_t> stride(layer.loops.size(), 1), size(layer.loops.size(), 1);
  std::vector<std::vector<std::int64_t>> units{std::vector<std::int64_t>(layer.loops.size(), 0)};
  for (std::size_t at = 0; at < nest.spatial->operands[operand].levels.size(); ++at) {
    for (const UnrolledLoop& loop : nest.spatial->operands[operand].levels[at]) {
      const int dimension = layer.loop_index(loop.dimension);
      const auto factor = static_cast<std::int64_t>(loop.factor);
      if (at <= level) {
        const auto below = units;
        for (std::int64_t unit = 1; unit < factor; ++unit)
          for (auto index : below) {
            index[dimension] += unit * stride[dimension];
            units.push_back(std::move(index));
          }
      }
      stride[dimension] *= factor;
    }
  }
  const auto& loops = nest.temporal->loops;
  std::vector<std::int64_t> at(loops.size(), 0);
  std::vector<Block> blocks;
  bool begins = true, goes_on = false;
  for (;;) {
    std::vector<std::int64_t> round(layer.loops.size(), 0);
    std::fill(size.begin(), size.end(), 1);
    bool exists = true;
    for (std::size_t loop = 0; loop < loops.size(); ++loop) {
      const int dimension = layer.loop_index(loops[loop].dimension);
      round[dimension] += at[loop] * size[dimension];
      size[dimension] *= loops[loop].size;
    }
    for (std::size_t loop = 0; loop < round.size(); ++loop)
      exists = exists && round[loop] < nest.rounds[loop];
    if (exists) {
      if (begins) blocks.emplace_back();
      begins = false;
      Block& block = blocks.back();
      if (goes_on) block.last_part = 0;
      goes_on = false;
      ++block.steps;
      ++block.last_part;
      for (const std::vector<std::int64_t>& unit : units) {
        std::int64_t element = 0;
        for (const std::string& name : layer.operands[operand].dimensions) {
          const auto index = [&](int loop) { return unit[loop] + round[loop] * stride[loop]; };
          std::int64_t along = 0;
          if (const int loop = layer.loop_index(name); loop >= 0) along = index(loop);
          for (const DimensionRelation& relation : layer.relations)
            if (relation.data == name)
              along = relation.stride * index(layer.loop_index(relation.output_loop)) +
                      relation.dilation * index(layer.loop_index(relation.filter_loop));
          element = element * 1024 + along;
        }
        block.elements.push_back(element);
      }
    }
    std::size_t loop = 0;
    while (loop < loops.size() && ++at[loop] == loops[loop].size) at[loop++] = 0;
    if (loop == loops.size()) break;
    if (static_cast<int>(loop) >= inside) begins = true;
    if (static_cast<int>(loop) >= part) goes_on = true;
  }
  for (Block& block : blocks) {
    std::sort(block.elements.begin(), block.elements.end());
    block.elements.erase(std::unique(block.elements.begin(), block.elements.end()), block.elements.end());
  }
  return blocks;
}

std::int64_t instances(const Nest& nest, std::size_t operand, std::size_t level) {
  double units = 1;
  const auto& levels = nest.spatial->operands[operand].levels;
  for (std::size_t above = level + 1; above < levels.size(); ++above)
    for (const UnrolledLoop& loop : levels[above]) units *= loop.factor;
  return static_cast<std::int64_t>(units);
}

/// Some run of a loop that the operand has ends after one iteration, because a last tile is short: two
/// iterations of a loop around it may then meet the same data.
bool has_short_run(const CostTables& tables, const CompactMapping& mapping, int operand, int inside) {
  for (int loop = inside; loop < mapping.loops; ++loop) {
    const int dimension = mapping.dimension[loop];
    if (tables.operands[operand].relevancy[dimension] == Relevancy::irrelevant) continue;
    const TilesBelow below(tables, mapping, loop), with(tables, mapping, loop + 1);
    if (mapping.size[loop] > 1 && with.last(dimension) <= below.whole(dimension)) return true;
  }
  return false;
}

class Comparison {
 public:
  explicit Comparison(const Nest& nest)
      : nest_(nest),
        model_(nest.accelerator, nest.layer, nest.spatial, nest.spatial, CostModelOptions{}),
        mapping_(model_.compact(*nest.temporal)),
        evaluation_(model_.evaluate(nest.temporal)) {}

  void compare() {
    std::int64_t steps = 1;
    for (const std::int64_t rounds : nest_.rounds) steps *= rounds;
    CHECK(evaluation_.ideal_temporal_cycle == static_cast<double>(steps));
    CHECK(evaluation_.mac_count == static_cast<double>(nest_.layer->mac_count()));
    std::map<std::string, double> held;
    for (std::size_t operand = 0; operand < evaluation_.operands.size(); ++operand) {
      const auto& levels = evaluation_.operands[operand].levels;
      for (std::size_t level = 0; level < levels.size(); ++level) {
        compare_side(operand, level, true);
        if (level + 1 < levels.size()) compare_side(operand, level, false);
        held[levels[level].memory] += largest_;
      }
    }
    for (const OperandCost& operand : evaluation_.operands)
      for (const LevelCost& level : operand.levels)
        CHECK(level.utilization *
                  static_cast<double>(
                      nest_.accelerator->memories[nest_.accelerator->memory_index(level.memory)].size) ==
              doctest::Approx(held[level.memory]));
  }
  bool ragged() const { return is_ragged(model_.tables(), mapping_); }
  int cuts = 0, above = 0;  ///< compared, and those of which a count is above what was executed

 private:
  /// What crosses the lower or the upper side of a memory.
  void compare_side(std::size_t operand, std::size_t level, bool low) {
    const bool output = operand == 0;
    const int o = static_cast<int>(operand);
    const auto& stationary = nest_.temporal->operands[operand].stationary;
    const int architecture = static_cast<int>(level) + (low ? 0 : 1);
    int inside = architecture > 0 ? stationary[architecture - 1] : 0;
    if (architecture == 0 && !output) inside = repeated_loops(model_.tables(), mapping_, o);
    const std::vector<Block> blocks = executed_blocks(nest_, o, level, inside);
    const std::int64_t bits = nest_.layer->operands[operand].precision;
    const std::int64_t width =
        nest_.accelerator
            ->memories[nest_.accelerator->memory_index(evaluation_.operands[operand].levels[level].memory)]
            .ports.front()
            .bandwidth_max;
    std::int64_t words = 0, executed = 0, number = 0;
    for (const Block& block : blocks) {
      const std::int64_t of_block =
          (static_cast<std::int64_t>(block.elements.size()) * bits + width - 1) / width;
      words += of_block;
      if (number == 0 || (output && inside == 0) || block.elements != blocks[number - 1].elements)
        executed += of_block;
      ++number;
    }
    const auto accesses = [&](Direction direction) {
      return evaluation_.operands[operand].levels[level].accesses[static_cast<int>(direction)];
    };
    const std::int64_t told =
        accesses(output ? (low ? Direction::write_from_low : Direction::read_to_high)
                        : (low ? Direction::read_to_low : Direction::write_from_high));
    CAPTURE(operand);
    CAPTURE(level);
    CAPTURE(low);
    // The static rule, exactly: each block moves.
    CHECK(told == words * instances(nest_, operand, level));
    // What is executed: never more, and less only where data meet in a short run, or by the windows of the
    // layer.
    CHECK(executed <= words);
    if (executed < words) {
      CHECK((nest_.layer->has_relations(o) || has_short_run(model_.tables(), mapping_, o, inside)));
      ++above;
    }
    ++cuts;
    if (output) {
      const std::int64_t back = accesses(low ? Direction::read_to_low : Direction::write_from_high);
      CHECK((back == 0 || back == told));
    }
    if (!low) return;
    largest_ = 0;
    for (const Block& block : executed_blocks(nest_, o, level, stationary[level]))
      largest_ = std::max(largest_, static_cast<double>(block.elements.size()) * static_cast<double>(bits));
  }

  const Nest& nest_;
  CostModel model_;
  CompactMapping mapping_;
  Evaluation evaluation_;
  double largest_ = 0;
};

void compare_nests(unsigned seed, int nests) {
  std::mt19937 random(seed);
  int ragged = 0, cuts = 0, above = 0;
  for (int number = 0; number < nests; ++number) {
    const Nest nest = random_nest(random);
    CAPTURE(number);
    Comparison comparison(nest);
    comparison.compare();
    ragged += comparison.ragged() ? 1 : 0;
    cuts += comparison.cuts;
    above += comparison.above;
  }
  CHECK(ragged > nests / 2);
  CHECK(cuts > 5 * nests);
  CHECK(above > 0);
  CHECK(above < cuts / 5);
}

}  // namespace

TEST_CASE("ragged tiles: counts are those of the executed nest") { compare_nests(46, daily(300, 1000)); }

// Where the memory has no second buffer, a portion may be exchanged for as long as the last iteration of
// the outermost loops lasts that leave it unused.
TEST_CASE("ragged tiles: windows are those of the executed nest, and mark the cycles that a walk marks") {
  std::mt19937 random(4);
  for (int number = 0; number < 150; ++number) {
    const Nest nest = random_nest(random);
    const CostModel model(nest.accelerator, nest.layer, nest.spatial, nest.spatial, CostModelOptions{});
    const CompactMapping mapping = model.compact(*nest.temporal);
    std::vector<BoundaryCost> costs;
    for (const Boundaries::Boundary& at : model.boundaries().all())
      costs.push_back(cost_of(model.tables(), model.options(), mapping, at.operand, at.level));
    std::vector<const BoundaryCost*> pointers;
    for (const BoundaryCost& cost : costs) pointers.push_back(&cost);
    const ArrayPace pace = pace_of(model.tables(), mapping);
    const Windows windows(model.tables(), model.boundaries(), mapping, pace, pointers, 0);
    std::vector<int> closed;
    std::vector<bool> marked(static_cast<std::size_t>(all_steps(model.tables(), mapping)), false);
    for (int boundary = 0; boundary < static_cast<int>(costs.size()); ++boundary) {
      const Boundaries::Boundary& at = model.boundaries()[boundary];
      if (at.top || at.level == 0 || windows.is_open(boundary)) continue;
      closed.push_back(boundary);
      const int used =
          without_outer_loops(model.tables(), mapping, at.operand, at.level, Relevancy::irrelevant);
      const auto blocks =
          executed_blocks(nest, at.operand, 0, mapping.loops_below(at.operand, at.level), used);
      CHECK(windows[boundary] == blocks.front().last_part);
      std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> executed, told;  // by steps and window
      std::size_t begin = 0;
      for (const Block& block : blocks) {
        ++executed[{block.steps, block.last_part}];
        for (std::int64_t step = 0; step < block.last_part; ++step)
          marked[begin + static_cast<std::size_t>(step)] = true;
        begin += static_cast<std::size_t>(block.steps);
      }
      for (const PortionSize& size : costs[boundary].sizes)
        told[{size.period, windows.of(boundary, size.last, size.period)}] += size.count;
      if (!told.empty()) CHECK(told == executed);
    }
    if (closed.empty()) continue;
    CHECK(windows.together(closed) == std::count(marked.begin(), marked.end(), true));
  }
}

TEST_CASE("ragged tiles: 197 rows in tiles of 50 have stalls of three whole tiles and of one of 47") {
  // Of O[m][n] += I[m][c] * W[c][n] the inputs come from the memory in tiles of 50 rows; N 2 stays on top
  // of them in the buffer.
  Accelerator accelerator = small_accelerator(1 << 12, 1 << 12, 8);
  accelerator.array.dimensions = {{"D1", 1}, {"D2", 1}};
  const Layer layer = gemm(197, 2, 1);
  const TemporalMapping temporal{
      {{"M", 50}, {"N", 2}, {"M", 4}},
      {{"O", {0, 1, 3}, {0, 1, 3}}, {"I", {2, 3}, {2, 3}}, {"W", {1, 3}, {1, 3}}},
      MappingType::uneven};
  const auto shared = std::make_shared<const Layer>(layer);
  const auto machine = std::make_shared<const Accelerator>(accelerator);
  const auto spatial =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(layer, accelerator, {}).fractional);
  const CostModel model(machine, shared, spatial, spatial, CostModelOptions{});
  const Evaluation evaluation = model.evaluate(std::make_shared<const TemporalMapping>(temporal));
  CHECK(evaluation.ideal_temporal_cycle == 394);
  CHECK(evaluation.operands[1].levels[0].accesses[static_cast<int>(Direction::write_from_high)] == 197);
  const BoundaryCost inputs = cost_of(model.tables(), model.options(), model.compact(temporal), 1, 1);
  CHECK(inputs.count == 4);
  CHECK(inputs.period == 100);
  CHECK(inputs.bits == 400);
  REQUIRE(inputs.sizes.size() == 2);
  CHECK(inputs.sizes[0].count == 3);
  CHECK(inputs.sizes[0].cycles[static_cast<int>(Direction::write_from_high)] == 50);
  CHECK(inputs.sizes[1].count == 1);
  CHECK(inputs.sizes[1].period == 94);
  CHECK(inputs.sizes[1].cycles[static_cast<int>(Direction::write_from_high)] == 47);
}

TEST_CASE("ragged tiles: the first tile is loaded, and the last one off-loaded") {
  const auto shared = std::make_shared<const Layer>(gemm(197, 2, 3));
  const auto machine = std::make_shared<const Accelerator>(small_accelerator(1 << 14, 1 << 14, 8));
  const auto spatial =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(*shared, *machine, {}).fractional);
  const CostModel model(machine, shared, spatial, spatial, CostModelOptions{});
  const TemporalMapping temporal{
      {{"M", 50}, {"C", 3}, {"N", 2}, {"M", 4}},
      {{"O", {2, 3, 4}, {2, 3, 4}}, {"I", {3, 4}, {3, 4}}, {"W", {1, 4}, {1, 4}}},
      MappingType::uneven};
  const CompactMapping mapping = model.compact(temporal);
  const int up = static_cast<int>(Direction::read_to_high),
            down = static_cast<int>(Direction::write_from_high);
  const BoundaryCost inputs = cost_of(model.tables(), model.options(), mapping, 1, 1);
  CHECK(inputs.once(down, false) == 150);
  CHECK(inputs.whole_bits == 1200);
  const BoundaryCost outputs = cost_of(model.tables(), model.options(), mapping, 0, 1);
  CHECK(outputs.cycles[up] == 50);
  CHECK(outputs.once(up, true) == 47);
  CHECK(outputs.whole_bits == 376);
  CHECK(outputs.bits == 400);
}

// Minutes of nests that are walked step by step.
TEST_CASE("ragged tiles: counts of ten thousand nests are those of the executed ones" * doctest::skip()) {
  compare_nests(10'000, 10'000);
}
