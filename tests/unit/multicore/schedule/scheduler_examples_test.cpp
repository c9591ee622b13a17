#include <doctest/doctest.h>

#include "core/multicore/check/violations.hpp"
#include "tests/unit/worlds/schedules.hpp"

// Small problems by the rules of Stream 0.0.8, each followed by hand, and by the physical rules.
namespace zz::test {
namespace {

using namespace core;
using Times = std::vector<std::pair<double, double>>;
using Trace = std::vector<std::pair<double, std::int64_t>>;

constexpr std::int64_t sram = 1'048'576;

double term(const Schedule& schedule, EnergyTerm name) {
  return schedule.energy_terms[static_cast<int>(name)];
}

/// The transfers of a tensor, as (start, end).
Times transfers_of(const Schedule& schedule, int tensor) {
  Times times;
  for (const Transfer& transfer : schedule.transfers) {
    if (transfer.tensor == tensor) times.emplace_back(transfer.start, transfer.end);
  }
  return times;
}

void check_physics(const Schedule& schedule) {
  for (const Violation& violation : find_violations(schedule)) {
    const std::string text = violation.rule + ": " + violation.what;
    FAIL_CHECK(text);
  }
}

/// Two convolutions on two cores, three rows each.
struct TwoLayersOfRows : ProblemSketch {
  std::array<int, 3> outputs{}, inputs{}, results{};
  int weights = 0;

  TwoLayersOfRows() : ProblemSketch(2, sram) {
    options.prefetch = {"W"};
    layer({w, i});
    cost(0, 13749, 409832.19);
    weights = tensor(w, 13824, 3);
    for (int row = 0; row < 3; ++row) {
      outputs[row] = tensor(o, 192512, row == 1 ? 3 : 2);
      inputs[row] = tensor(i, 27216, 1);
      node({outputs[row], weights, inputs[row]});
    }
    layer({w});
    cost(1, 18048, 1008188.16);
    const int second = tensor(w, 36864, 3);
    for (int row = 0; row < 3; ++row) {
      results[row] = tensor(o, 24064, 0);
      node({results[row], second, -1});
    }
    for (const int node : {0, 1, 3, 4}) edge(node, node + 1, -1, 0);
    for (const auto& [from, to] : {std::pair(0, 3), {0, 4}, {1, 3}, {1, 4}, {1, 5}, {2, 4}, {2, 5}}) {
      edge(from, to, i, 192512);
    }
  }
};

}  // namespace

TEST_CASE("rows of two layers: prefetching, transfers, removals and memories over time") {
  TwoLayersOfRows sketch;
  const Schedule schedule = sketch.schedule(true);
  CHECK(
      times_of(schedule) ==
      Times{{1218, 14967}, {14967, 28716}, {28716, 42465}, {31724, 49772}, {49772, 67820}, {67820, 85868}});
  std::vector<int> sequence;
  for (const ScheduledNode& entry : schedule.nodes) sequence.push_back(entry.node);
  CHECK(sequence == std::vector<int>{0, 1, 3, 2, 4, 5});
  CHECK(transfers_of(schedule, sketch.weights) == Times{{0, 216}});
  CHECK(transfers_of(schedule, sketch.inputs[1]) == Times{{1218, 1644}});
  CHECK(transfers_of(schedule, sketch.inputs[2]) == Times{{1644, 2070}});
  CHECK(transfers_of(schedule, sketch.outputs[0]) == Times{{14967, 17975}});
  CHECK(transfers_of(schedule, sketch.outputs[2]) == Times{{42465, 45473}});
  CHECK(transfers_of(schedule, sketch.results[1]) == Times{{67820, 68196}});

  CHECK(schedule.memory[0].bits == Trace{{0, 0},
                                         {792, 27216},
                                         {1218, 246944},
                                         {1644, 274160},
                                         {14967, 439456},
                                         {17975, 246944},
                                         {28716, 412240},
                                         {31724, 219728},
                                         {42465, 192512},
                                         {45473, 0}});
  CHECK(schedule.memory[1].bits == Trace{{0, 13824}, {42465, 0}});
  CHECK(schedule.memory[4].bits == Trace{{0, 132336},
                                         {14967, 105120},
                                         {28716, 77904},
                                         {42465, 36864},
                                         {49772, 60928},
                                         {67820, 84992},
                                         {85868, 72192}});
  CHECK(schedule.memory[0].peak == 439456);
  CHECK(schedule.memory[0].peak_time == 14967);

  CHECK(schedule.latency == 86244);
  CHECK(schedule.energy == doctest::Approx(7715274.36).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::node_onchip) == doctest::Approx(4254061.05).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::node_offchip_memory) == doctest::Approx(2094477.75).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::final_output_memory) == doctest::Approx(1142669.64).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::core_to_core_memory) == doctest::Approx(224065.92).epsilon(1e-9));
  check_physics(sketch.schedule(false));
}

TEST_CASE("an output too large for its core is streamed while the node runs") {
  ProblemSketch sketch(2, sram);
  sketch.options.prefetch = {"W"};
  sketch.layer({ProblemSketch::w, ProblemSketch::i});
  CoreCost& first = sketch.cost(0, 40962, 1330122.92, 9024000);
  first.streamed = {ProblemSketch::o};
  first.stream_write_elements = 1;
  first.stream_write_bits = 577536;
  const int first_weights = sketch.tensor(ProblemSketch::w, 13824, 1);
  const int output = sketch.tensor(ProblemSketch::o, 577536, 1);
  sketch.node({output, first_weights, sketch.tensor(ProblemSketch::i, 45360, 1)});
  sketch.layer({ProblemSketch::w});
  sketch.cost(1, 45120, 2696939.52);
  const int second_weights = sketch.tensor(ProblemSketch::w, 36864, 1);
  sketch.node({sketch.tensor(ProblemSketch::o, 72192, 0), second_weights, -1});
  sketch.edge(0, 1, ProblemSketch::i, 577536);

  const Schedule schedule = sketch.schedule(true);
  CHECK(times_of(schedule) == Times{{1501, 42463}, {51487, 96607}});
  REQUIRE(schedule.blocks.size() == 1);
  CHECK(schedule.blocks[0].start == 1501);
  CHECK(schedule.blocks[0].end == 42463);
  CHECK(transfers_of(schedule, output) == Times{{42463, 51487}});
  CHECK(schedule.latency == 97735);
  CHECK(schedule.energy == doctest::Approx(24843202.03).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::node_offchip_memory) == doctest::Approx(19673469.95).epsilon(1e-9));

  const Schedule physical = sketch.schedule(false);
  check_physics(physical);
  CHECK(physical.blocks[0].write_demand >= 577536 / 40962.0);
  CHECK(physical.blocks[0].write_demand < 577536 / 40962.0 + 0.01);
}

namespace {

/// Eight rows of a layer whose outputs fill the core's memory; the next layer, cut by channels, streams
/// them.
struct EightRowsEvicted : ProblemSketch {
  std::array<int, 8> outputs{};

  EightRowsEvicted() : ProblemSketch(2, 13000, 1) {
    layer({i, w});
    cost(0, 39, 1223.01);
    const int weights = tensor(w, 384, 8);
    for (int row = 0; row < 8; ++row) {
      outputs[row] = tensor(o, 4096, 2);
      node({outputs[row], weights, tensor(i, 768, 1)});
    }
    layer({w});
    CoreCost& second = cost(1, 649, 24519.92, 768000);
    second.streamed = {o, i};
    second.stream_read_elements = 6;
    second.stream_write_elements = 3;
    second.stream_read_bits = 32768;
    second.stream_write_bits = 16384;
    for (int half = 0; half < 2; ++half) {
      const int slice = tensor(w, 1024, 1);
      node({tensor(o, 16384, 0), slice, -1}, half);
    }
    for (int row = 0; row < 7; ++row) edge(row, row + 1, -1, 0);
    for (int row = 0; row < 8; ++row) {
      edge(row, 8, i, 4096);
      edge(row, 9, i, 4096);
    }
  }
};

}  // namespace

TEST_CASE("outputs that nobody on the core needs have to make room") {
  EightRowsEvicted sketch;
  const Schedule schedule = sketch.schedule(true);
  CHECK(times_of(schedule) == Times{{18, 57},
                                    {57, 96},
                                    {121, 160},
                                    {185, 224},
                                    {261, 300},
                                    {337, 376},
                                    {413, 452},
                                    {489, 528},
                                    {1177, 1826},
                                    {528, 1177}});
  Times evicted;
  for (const Removal& removal : schedule.removals) {
    if (removal.cause == RemovalCause::eviction) evicted.emplace_back(removal.time, removal.write_back_end);
  }
  CHECK(evicted == Times{{96, 121}, {160, 185}, {224, 261}, {300, 337}, {376, 413}, {452, 489}});
  CHECK(transfers_of(schedule, sketch.outputs[0]) == Times{{57, 121}});
  CHECK(transfers_of(schedule, sketch.outputs[7]).empty());
  CHECK(schedule.latency == 1826);
  CHECK(schedule.energy == doctest::Approx(2119920.39).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::node_onchip) == doctest::Approx(58823.92).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::node_offchip_link) == doctest::Approx(134).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::node_offchip_memory) == doctest::Approx(1671584.55).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::eviction_link) == doctest::Approx(384).epsilon(1e-9));
  CHECK(term(schedule, EnergyTerm::eviction_memory) == doctest::Approx(388993.92).epsilon(1e-9));
}

TEST_CASE("physical rules: what is streamed is written off-chip first, and takes the time of its bits") {
  EightRowsEvicted sketch;
  const Schedule schedule = sketch.schedule(false);
  check_physics(schedule);
  // All outputs are written, also those that would fit until the end.
  for (const int output : sketch.outputs) CHECK(transfers_of(schedule, output).size() == 1);
  // 49152 bits pass the one link to the off-chip memory: 768 cycles instead of 649.
  const Times times = times_of(schedule);
  CHECK(times[9].second - times[9].first >= 768);
  CHECK(times[9].second - times[9].first <= 770);
  CHECK(schedule.latency > 1826);
}

TEST_CASE("a node of a deep layer reserves its core before an earlier layer could use it") {
  ProblemSketch sketch(2, sram);
  constexpr int o = ProblemSketch::o, w = ProblemSketch::w, i = ProblemSketch::i;
  sketch.layer({w, i});
  sketch.cost(0, 39);
  int weights = sketch.tensor(w, 384, 2);
  for (int half = 0; half < 2; ++half) {
    const int output = sketch.tensor(o, 4096, 2);
    sketch.node({output, weights, sketch.tensor(i, 768, 1)});
  }
  sketch.layer({w});
  sketch.cost(1, 65);
  weights = sketch.tensor(w, 2048, 2);
  for (int half = 0; half < 2; ++half) sketch.node({sketch.tensor(o, 4096, 1), weights, -1});
  sketch.layer({});
  sketch.cost(0, 545);
  for (int half = 0; half < 2; ++half) sketch.node({sketch.tensor(o, 4096, 0), -1, -1}, half);
  sketch.edge(0, 1, -1, 0);
  sketch.edge(2, 3, -1, 0);
  for (int half = 0; half < 2; ++half) {
    sketch.edge(half, 2 + half, i, 4096);
    sketch.edge(half, 4 + half, i, 4096);
    sketch.edge(2 + half, 4 + half, i, 4096);
  }
  const Schedule schedule = sketch.schedule(true);
  CHECK(times_of(schedule) ==
        Times{{18, 57}, {795, 834}, {121, 186}, {898, 963}, {250, 795}, {1027, 1572}});
  CHECK(schedule.latency == 1636);

  // By the time of the earliest start the second half is ready when the first one's sum is done; so it is
  // when it may use the gap before that.
  Scheduler scheduler(sketch.problem(false));
  ScheduleChoice choice;
  choice.dispatch = DispatchRule::earliest_start;
  const Schedule earliest = scheduler.schedule(choice);
  check_physics(earliest);
  CHECK(times_of(earliest)[1] == std::pair<double, double>(62, 101));
  CHECK(earliest.latency < 1636);
  choice.dispatch = DispatchRule::rank;
  choice.back_filling = true;
  const Schedule filled = scheduler.schedule(choice);
  check_physics(filled);
  CHECK(times_of(filled)[1] == std::pair<double, double>(62, 101));
}

}  // namespace zz::test
