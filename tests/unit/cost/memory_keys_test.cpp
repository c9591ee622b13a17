// The keys of memories and ports that ZigZag does not have, on a product that takes 179 cycles by hand: 64
// of computation, 77 of stalls, 14 and 24 of loading. The port of its narrow memory is busy for 24 cycles
// for inputs and 42 for weights that pass again.
#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/cost/audit.hpp"
#include "core/cost/part_words.hpp"
#include "core/hardware/further_keys.hpp"
#include "core/search/temporal/mapping_check.hpp"
#include "tests/unit/worlds/hand_example.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

Memory& buffer_of(Accelerator& accelerator) { return accelerator.memories[0]; }
Port& dram_port(Accelerator& accelerator) { return accelerator.memories[1].ports[0]; }

template <class Change>
Accelerator changed(const Change& change) {
  Accelerator accelerator = narrow_dram();
  change(accelerator);
  return accelerator;
}

Evaluation by_hand(const Accelerator& accelerator) {
  const Evaluation evaluation = evaluated(accelerator, product_by_hand(), order_by_hand);
  const double parts =
      std::accumulate(evaluation.latency_parts.begin(), evaluation.latency_parts.end(), 0.0,
                      [](double sum, const LatencyPart& part) { return sum + part.cycles; });
  CHECK(parts == doctest::Approx(evaluation.latency_total2).epsilon(1e-12));
  return evaluation;
}

const LatencyPart& part_because(const Evaluation& evaluation, const std::string& because) {
  const auto found = std::find_if(evaluation.latency_parts.begin(), evaluation.latency_parts.end(),
                                  [&](const LatencyPart& part) { return part.because == because; });
  REQUIRE(found != evaluation.latency_parts.end());
  return *found;
}

bool breaks(Evaluation evaluation, double Evaluation::*figure, double by, const std::string& rule) {
  evaluation.*figure -= by;
  const auto broken = audit(evaluation, AuditScope::all);
  return std::any_of(broken.begin(), broken.end(),
                     [&](const std::string& line) { return line.starts_with(rule + ":"); });
}

/// The first problem is told with this text.
bool says(const Accelerator& accelerator, const std::string& text) {
  const auto problems = find_memory_key_problems(accelerator);
  return !problems.empty() && problems.front().message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("efficiency: a port takes as long as a narrower one, and makes as many accesses") {
  const Evaluation full = by_hand(narrow_dram());
  const Evaluation half = by_hand(changed([](Accelerator& one) { dram_port(one).efficiency = 0.5; }));
  const Evaluation narrow = by_hand(
      changed([](Accelerator& one) { dram_port(one).bandwidth_min = dram_port(one).bandwidth_max = 4; }));
  CHECK(half.latency_total2 == narrow.latency_total2);
  CHECK(half.latency_total2 == 217);
  CHECK(full.latency_total2 == 179);
  CHECK(half.energy_total == full.energy_total);
  for (std::size_t operand = 0; operand < full.operands.size(); ++operand)
    CHECK(half.operands[operand].levels.back().accesses == full.operands[operand].levels.back().accesses);
  CHECK(half.ports.back().bandwidth == 4);
}

TEST_CASE("efficiency: steps of an array take longer, and what they take hides stalls") {
  const Evaluation half = by_hand(changed([](Accelerator& one) { one.array.efficiency = 0.5; }));
  CHECK(half.ideal_temporal_cycle == 64);
  CHECK(half.array_cycle == 128);
  const LatencyPart& part = part_because(half, "efficiency");
  CHECK(part.cause == "array");
  CHECK(part.cycles == 64);
  CHECK(part.limiter() == "array");
  // The port of the narrow memory catches up meanwhile.
  CHECK(half.latency_total0 == 128 + 13);
  CHECK(half.latency_total2 == 179);
  CHECK(by_hand(changed([](Accelerator& one) { one.array.efficiency = 0.25; })).latency_total2 == 294);
  CHECK(breaks(half, &Evaluation::latency_total2, half.latency_total2 - 127, "computation"));
}

TEST_CASE("efficiency: less of it never makes a mapping faster by a whole cycle") {
  double slower_array = 0, slower_port = 0;  // of all before
  for (int percent = 100; percent > 0; --percent) {
    const double array =
        by_hand(changed([&](Accelerator& one) { one.array.efficiency = 0.01 * percent; })).latency_total2;
    const double port = by_hand(changed([&](Accelerator& one) {
                          dram_port(one).efficiency = 0.01 * percent;
                        })).latency_total2;
    CHECK(array > slower_array - 1);
    CHECK(port >= slower_port);
    slower_array = std::max(array, slower_array);
    slower_port = std::max(port, slower_port);
  }
}

TEST_CASE("overlap: a share of the shorter of computation and repeated transfers is added") {
  const Accelerator partly = changed([](Accelerator& one) { dram_port(one).overlap = 0.75; });
  const Evaluation evaluation = by_hand(partly);
  CHECK(evaluation.latency_total0 == 64 + 77 + 0.25 * 64);
  CHECK(evaluation.latency_total2 == 179 + 16);
  const LatencyPart& part = part_because(evaluation, "overlap");
  CHECK(part.cause == "stall");
  CHECK(part.cycles == 16);
  CHECK(part.limiter() == "dram.rw_port_1");
  CHECK(words_of(part).where == "dram rw_port_1: overlap");
  // The longer of two ports counts: 64 cycles of which half hide.
  const Accelerator two = changed([](Accelerator& one) {
    dram_port(one).overlap = 0.75;
    buffer_of(one).ports[0].overlap = 0.5;
  });
  CHECK(by_hand(two).latency_total0 == 64 + 77 + 32);
  // Where transfers are shorter than the computation, they count: twice as wide, for 12 and 21 cycles.
  const Accelerator wide = changed([](Accelerator& one) {
    dram_port(one).bandwidth_max = 16;
    dram_port(one).overlap = 0;
  });
  CHECK(part_because(by_hand(wide), "overlap").cycles == 12 + 21);
}

TEST_CASE("tile interval: the computation lasts until every tile has had its time") {
  // Four tiles of inputs, eight of weights, one of results.
  const Accelerator slow = changed([](Accelerator& one) { buffer_of(one).tile_interval = 20; });
  const Evaluation evaluation = by_hand(slow);
  CHECK(evaluation.latency_total0 == 8 * 20);
  const LatencyPart& part = part_because(evaluation, "tile interval");
  CHECK(part.cycles == 160 - 141);
  CHECK(part.limiter() == "buffer");
  CHECK(words_of(part).where == "buffer, tiles of W: tile interval");
  CHECK(by_hand(changed([](Accelerator& one) { buffer_of(one).tile_interval = 17; })).latency_total0 ==
        141);
}

TEST_CASE("line: inputs are touched for the first time, line by line") {
  // 32 and 48 bytes are two and three lines.
  const Accelerator cold = changed([](Accelerator& one) { dram_port(one).line = FirstTouch{16, 60}; });
  const Evaluation evaluation = by_hand(cold);
  CHECK(evaluation.latency_total2 == 5 * 60);
  const LatencyPart& part = part_because(evaluation, "line");
  CHECK(part.cause == "wait");
  CHECK(part.cycles == 300 - 179);
  CHECK(part.limiter() == "dram.rw_port_1");
  CHECK(by_hand(changed([](Accelerator& one) {
          dram_port(one).line = FirstTouch{64, 60};
        })).latency_total2 == 179);
}

TEST_CASE("keys of memories: the auditor counts by itself") {
  const Evaluation partly = by_hand(changed([](Accelerator& one) { dram_port(one).overlap = 0.5; }));
  CHECK(audit(partly, AuditScope::all).empty());
  CHECK(breaks(partly, &Evaluation::latency_total0, 78, "overlap"));
  const Evaluation slow = by_hand(changed([](Accelerator& one) { buffer_of(one).tile_interval = 20; }));
  CHECK(breaks(slow, &Evaluation::latency_total0, 1, "tile interval"));
  const Evaluation cold = by_hand(changed([](Accelerator& one) {
    dram_port(one).line = FirstTouch{16, 60};
  }));
  CHECK(breaks(cold, &Evaluation::latency_total2, 1, "port bandwidth"));
}

TEST_CASE("keys of memories: mistakes are named") {
  CHECK(find_memory_key_problems(narrow_dram()).empty());
  CHECK(says(changed([](Accelerator& one) { dram_port(one).overlap = 1.5; }),
             "overlap of port 'rw_port_1' of memory 'dram' is 1.5; it must be from 0"));
  CHECK(says(changed([](Accelerator& one) { dram_port(one).overlap = -0.5; }), "it must be from 0"));
  for (const double share : {0.0, -0.5, 1.01, 1e-9})
    CHECK(says(changed([&](Accelerator& one) { dram_port(one).efficiency = share; }),
               "efficiency of port 'rw_port_1' of memory 'dram' is"));
  CHECK(says(changed([](Accelerator& one) { buffer_of(one).tile_interval = -1; }),
             "tile_interval of memory 'buffer' is -1; it must be from 0 to 1000000 cycles"));
  CHECK(says(changed([](Accelerator& one) {
               dram_port(one).line = FirstTouch{0, 8};
             }),
             "has 0 bytes; it must have from 1"));
  CHECK(says(changed([](Accelerator& one) {
               dram_port(one).line = FirstTouch{64, -8};
             }),
             "cold_cycles in the line of port 'rw_port_1' of memory 'dram' is -8"));
  CHECK(says(changed([](Accelerator& one) {
               buffer_of(one).ports[0].line = FirstTouch{64, 8};
             }),
             "port 'r_port_1' of memory 'buffer' has a line, but I1 comes from memory 'dram' above"));
  CHECK(says(changed([](Accelerator& one) {
               buffer_of(one).ports[1].line = FirstTouch{64, 8};
             }),
             "reads no input towards the units"));
}

TEST_CASE("keys of memories: there are no figures of ZigZag for them") {
  const Accelerator partly = changed([](Accelerator& one) { dram_port(one).overlap = 0.5; });
  CHECK_THROWS_WITH_AS(
      evaluated(partly, product_by_hand(), order_by_hand, {.rules = rules_of("zigzag-3.9")}),
      doctest::Contains(
          "has overlap of port 'rw_port_1' of memory 'dram', which ZigZag and Stream do not know"),
      InputError);
}

TEST_CASE("keys of memories: there are no figures of ZigZag for an efficiency either") {
  for (const Accelerator& slow : {changed([](Accelerator& one) { dram_port(one).efficiency = 0.5; }),
                                  changed([](Accelerator& one) { one.array.efficiency = 0.5; })})
    CHECK_THROWS_WITH_AS(
        evaluated(slow, product_by_hand(), order_by_hand, {.rules = rules_of("zigzag-3.9")}),
        doctest::Contains("has efficiency of"), InputError);
}

TEST_CASE("shared tiles: inputs are cut above the memory at the same loop, and loaded at every iteration") {
  const Accelerator shared = changed([](Accelerator& one) { buffer_of(one).shared_tiles = true; });
  const Evaluation evaluation = by_hand(shared);
  const auto& cuts = evaluation.temporal_mapping->operands;
  CHECK(cuts[1].stationary[0] == cuts[2].stationary[0]);
  // As often as the loops above move on, whether they change the one input or the other.
  std::int64_t iterations = 1;
  for (std::size_t loop = static_cast<std::size_t>(cuts[1].stationary[0]);
       loop < evaluation.temporal_mapping->loops.size(); ++loop)
    iterations *= evaluation.temporal_mapping->loops[loop].size;
  CHECK(iterations > 1);
  int inputs = 0;
  for (const PortUseFigures& use : evaluation.ports[1].uses) {
    if (use.direction != "wr_in_by_high" || use.operand == "O") continue;
    CHECK(use.count == iterations);
    ++inputs;
  }
  CHECK(inputs == 2);
  TemporalMapping apart = *evaluation.temporal_mapping;
  apart.operands[1].stationary[0] = cuts[1].stationary[0] - 1;
  const auto layer = std::make_shared<const Layer>(*evaluation.layer);
  const CostModel model(evaluation.accelerator, layer, evaluation.spatial_mapping,
                        evaluation.spatial_mapping_int, {});
  CHECK_THROWS_WITH_AS(
      model.evaluate(std::make_shared<const TemporalMapping>(apart)),
      doctest::Contains("the tiles in memory 'buffer' are shared (shared_tiles), but that of"), InputError);
  CHECK_THROWS_WITH_AS(
      MappingCheck(*layer, *evaluation.accelerator, *evaluation.spatial_mapping, {}).check(apart),
      doctest::Contains("the tiles in memory 'buffer' are shared (shared_tiles), but end above"), NoResult);
  Evaluation uneven = evaluation;
  uneven.temporal_mapping = std::make_shared<const TemporalMapping>(apart);
  CHECK(breaks(uneven, &Evaluation::latency_total0, 0, "shared tiles"));
}

TEST_CASE("shared tiles: they need two inputs and a memory above") {
  CHECK(says(changed([](Accelerator& one) {
               buffer_of(one).shared_tiles = true;
               buffer_of(one).operands = {"I1", "O"};
             }),
             "memory 'buffer' has shared_tiles, but does not hold I2"));
  CHECK(says(changed([](Accelerator& one) { one.memories[1].shared_tiles = true; }),
             "memory 'dram' has shared_tiles, but I1 comes from no memory above"));
}
