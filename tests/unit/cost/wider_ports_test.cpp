// The same mapping on a machine with more of something.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "tests/unit/search/optimal/random_mapping.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Each operand has memories of its own, one above the other, below one that all share: first and last
/// portions hide on many ports.
MappingProblem problem_with_chains(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  Layer layer = gemm(pick({2, 4, 6}), pick({4, 8}), pick({2, 4, 6}));
  layer.operands[0].precision = pick({8, 16});
  Accelerator accelerator = small_accelerator(8, 8, 8);
  const Memory outermost =
      one_port_memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1", "D2"}, 1, pick({2, 4, 8, 16}));
  accelerator.memories.clear();
  for (const char* operand : {"I1", "I2", "O"}) {
    for (const std::int64_t size : {pick({16, 64, 256}), pick({64, 256, 1024}), pick({1024, 4096})})
      accelerator.memories.push_back(memory(fmt::format("{} {}", operand, accelerator.memories.size()),
                                            size, {operand}, {"D1", "D2"}, pick({2, 4, 8, 16, 32})));
  }
  accelerator.memories.push_back(outermost);
  return unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator), {}, {});
}

/// One memory for all operands, with room for second buffers of some of them.
MappingProblem problem_with_one_buffer(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  Layer layer = gemm(pick({2, 4, 6}), pick({4, 8}), pick({2, 4, 6}));
  layer.operands[0].precision = pick({8, 16});
  Accelerator accelerator = small_accelerator(8, 8, 8);
  accelerator.memories = {
      memory("buffer", pick({96, 128, 160, 224, 320, 448}), {"I1", "I2", "O"}, {"D1", "D2"}, 64),
      memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1", "D2"}, pick({2, 4, 8}))};
  for (Memory& memory : accelerator.memories) {
    for (Port& port : memory.ports) port.bandwidth_max = pick({2, 4, 8, 64});
    for (Port& port : memory.ports) port.bandwidth_min = 1;
  }
  return unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator), {}, {});
}

/// Larger machines: one memory or one port has more.
std::vector<Accelerator> enlarged(const Accelerator& accelerator) {
  std::vector<Accelerator> larger;
  for (std::size_t m = 0; m < accelerator.memories.size(); ++m) {
    const auto with = [&](const std::function<void(Memory&)>& enlarge) {
      enlarge(larger.emplace_back(accelerator).memories[m]);
    };
    const std::int64_t size = accelerator.memories[m].size;
    for (const std::int64_t bits : {std::int64_t{1}, size / 8, size / 4, size / 2, size})
      with([&](Memory& memory) { memory.size += bits; });
    for (std::size_t p = 0; p < accelerator.memories[m].ports.size(); ++p) {
      const std::int64_t width = accelerator.memories[m].ports[p].bandwidth_max;
      for (const std::int64_t bits : {std::int64_t{1}, width / 2 + 1, width, 7 * width})
        with([&](Memory& memory) { memory.ports[p].bandwidth_max += bits; });
    }
  }
  return larger;
}

struct Changes {
  int all = 0, faster = 0, slower = 0;
};

/// Counts the changes by more of something for random mappings of the problem.
void count_changes(MappingProblem problem, const Rules& rules, std::uint32_t seed, Changes& changes) {
  problem.options.rules = rules;
  const SearchProblem here(problem);
  std::mt19937 random(seed);
  std::vector<SampledMapping> mappings;
  for (int i = 0; i < 8; ++i)
    if (const auto sample = random_mapping(here, random)) mappings.push_back(*sample);
  for (const Accelerator& larger : enlarged(*problem.accelerator)) {
    const CostModel model(std::make_shared<const Accelerator>(larger), problem.layer, problem.fractional,
                          problem.integral, problem.options);
    for (const SampledMapping& sample : mappings) {
      const double before = here.model.score(sample.mapping).latency_total2;
      const double after = model.score(sample.mapping).latency_total2;
      if (!(before < infinite)) continue;
      ++changes.all;
      if (after < before - 1e-6) ++changes.faster;
      if (after > before + 1e-6) ++changes.slower;
    }
  }
}

/// Where a wider port, and where a larger memory, makes a mapping slower by ZigZag's rules: rare.
const std::vector<std::uint32_t> chains_told = {671, 948, 1804}, buffers_told = {656, 1419, 2060};

}  // namespace

TEST_CASE("latency: no wider port and no larger memory makes a mapping slower") {
  Changes changes;
  for (std::uint32_t seed = 0; seed < daily(12U, 50U); ++seed) {
    CAPTURE(seed);
    count_changes(problem_with_uneven_ports(seed, seed % 2 != 0), {}, seed, changes);
    count_changes(problem_with_dealt_ports(seed), {}, seed, changes);
    count_changes(problem_with_chains(seed), {}, seed, changes);
    count_changes(problem_with_uneven_rounds(seed), {}, seed, changes);
    count_changes(problem_with_one_buffer(seed), {}, seed, changes);
  }
  for (const std::uint32_t seed : chains_told) count_changes(problem_with_chains(seed), {}, seed, changes);
  for (const std::uint32_t seed : buffers_told)
    count_changes(problem_with_one_buffer(seed), {}, seed, changes);
  CHECK(changes.all > daily(8000, 40000));
  CHECK(changes.faster > daily(600, 3000));
  CHECK(changes.slower == 0);
}

TEST_CASE("latency: with ZigZag's rules a wider port or a larger memory may make a mapping slower") {
  for (const std::uint32_t seed : chains_told) {
    CAPTURE(seed);
    Changes changes;
    count_changes(problem_with_chains(seed), {.stalls_hide_at_every_port = true}, seed, changes);
    CHECK(changes.slower > 0);
  }
  for (const std::uint32_t seed : buffers_told) {
    CAPTURE(seed);
    Changes changes;
    count_changes(problem_with_one_buffer(seed), {.second_buffers_by_operand = true}, seed, changes);
    CHECK(changes.slower > 0);
  }
}
