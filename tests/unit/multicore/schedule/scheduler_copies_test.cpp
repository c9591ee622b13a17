#include <algorithm>
#include <doctest/doctest.h>

#include "core/multicore/check/violations.hpp"
#include "tests/unit/worlds/schedules.hpp"

// From which copy a tensor comes, which cores take it on the way, and where evicted ones wait.
namespace zz::test {
namespace {

using namespace core;
constexpr int output = ProblemSketch::o, weight = ProblemSketch::w, input = ProblemSketch::i;

Schedule valid_schedule(ProblemSketch& sketch, const std::vector<int>& cores = {}) {
  ScheduleChoice choice;
  choice.cores = cores;
  Schedule schedule = Scheduler(sketch.problem(false)).schedule(choice);
  for (const Violation& violation : find_violations(schedule)) {
    const std::string text = violation.rule + ": " + violation.what;
    FAIL_CHECK(text);
  }
  return schedule;
}

std::vector<const Transfer*> moves_of(const Schedule& schedule, int tensor) {
  std::vector<const Transfer*> found;
  for (const Transfer& transfer : schedule.transfers)
    if (transfer.tensor == tensor) found.push_back(&transfer);
  return found;
}

/// Weights of 6400 bits that nodes on cores 0 and 1 read, and in between others of 9600 bits for core 2.
struct WeightsOfTwoCores : ProblemSketch {
  int weights = 0;

  explicit WeightsOfTwoCores(std::int64_t memory_bits) : ProblemSketch(3, memory_bits) {
    layer({weight, input});
    cost(0, 10);
    cost(1, 10);
    weights = tensor(weight, 6400, 2);
    for (int group = 0; group < 2; ++group)
      node({tensor(output, 64, 0), weights, tensor(input, 0, 1)}, group);
    layer({weight, input});
    cost(2, 10);
    node({tensor(output, 64, 0), tensor(weight, 9600, 1), tensor(input, 0, 1)});
    options.order = {{0, 0}, {1, 0}, {0, 1}};
  }
};

}  // namespace

TEST_CASE("copies: a tensor comes from where it arrives first, with what links carry already") {
  // No room beside for a second copy at once: half of a memory stays free.
  WeightsOfTwoCores sketch(10'000);
  // The link from off-chip is taken until cycle 250, that from core 0 is free when it has the weights.
  sketch.layer({weight, input});
  sketch.cost(1, 500);
  sketch.node({sketch.tensor(output, 64, 0), sketch.tensor(weight, 6400, 1), sketch.tensor(input, 0, 1)});
  sketch.options.order = {{0, 0}, {2, 0}, {1, 0}, {0, 1}};
  const Schedule schedule = valid_schedule(sketch, {0, 1});
  const std::vector<const Transfer*> sent = moves_of(schedule, sketch.weights);
  REQUIRE(sent.size() == 2);
  CHECK(sent[0]->sender == 3);
  CHECK(sent[0]->receiver == 0);
  CHECK(sent[1]->sender == 0);
  CHECK(sent[1]->receiver == 1);
  // By Stream's rules everything comes from off-chip, where it was first.
  ScheduleChoice choice;
  choice.cores = {0, 1};
  const Schedule by_stream = Scheduler(sketch.problem(true)).schedule(choice);
  for (const Transfer* transfer : moves_of(by_stream, sketch.weights)) CHECK(transfer->sender == 3);
}

TEST_CASE("copies: a core sends what comes in time, also where it would come sooner from off-chip") {
  const auto sender_with = [](double busy) {
    WeightsOfTwoCores sketch(10'000);
    sketch.accelerator->links[0].bandwidth = 32;  // from core 0 to core 1: half of that from off-chip
    sketch.layer({weight, input});
    sketch.cost(1, busy);
    sketch.node({sketch.tensor(output, 64, 0), sketch.tensor(weight, 64, 1), sketch.tensor(input, 0, 1)});
    sketch.options.order = {{0, 0}, {2, 0}, {0, 1}, {1, 0}};
    const Schedule schedule = valid_schedule(sketch, {0, 1});
    const std::vector<const Transfer*> sent = moves_of(schedule, sketch.weights);
    return sent.size() == 2 ? sent[1]->sender : -1;
  };
  CHECK(sender_with(1) == 3);
  CHECK(sender_with(500) == 0);  // the core has no time for the weights before
}

// With samples in flight together, constants would keep their results away.
TEST_CASE("copies: in segments the last copy of a constant on the cores stays before what may wait there") {
  ProblemSketch sketch(2, 3000);
  sketch.layer({weight, input});
  sketch.cost(0, 10);
  const int constant = sketch.tensor(input, 1000, 2);
  for (int node = 0; node < 2; ++node) sketch.node({sketch.tensor(output, 64, 0), -1, constant});
  sketch.layer({input});
  sketch.cost(0, 10);
  const int waits = sketch.tensor(output, 1500, 1);
  sketch.node({waits, -1, sketch.tensor(input, 64, 1)}, 0, false);
  sketch.layer({input});
  sketch.cost(0, 10);
  sketch.node({sketch.tensor(output, 64, 0), -1, sketch.tensor(input, 1000, 1)});
  sketch.layer({});
  sketch.cost(0, 10);
  sketch.node({sketch.tensor(output, 64, 0), -1, -1});
  sketch.edge(2, 4, input, 1500);
  sketch.options.order = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {3, 0}};
  const Schedule without = valid_schedule(sketch);
  CHECK(moves_of(without, constant).size() == 2);
  CHECK(moves_of(without, waits).empty());
  ScheduleChoice choice;
  choice.segments = {3};
  const Schedule schedule = Scheduler(sketch.problem(false)).schedule(choice);
  CHECK(moves_of(schedule, constant).size() == 1);
  CHECK(moves_of(schedule, waits).size() == 2);
}

TEST_CASE("copies: cores with room take a tensor that they will read from one transfer") {
  WeightsOfTwoCores sketch(20'000);
  const Schedule schedule = valid_schedule(sketch, {0, 1});
  const std::vector<const Transfer*> sent = moves_of(schedule, sketch.weights);
  REQUIRE(sent.size() == 2);
  CHECK(sent[0]->start == sent[1]->start);
  CHECK(sent[0]->own[0] + sent[1]->own[0] == 1);
  CHECK(sent[0]->nodes_before == sent[1]->nodes_before);
}

TEST_CASE("copies: a constant leaves all memories when the last core has read it") {
  WeightsOfTwoCores sketch(20'000);
  const Schedule schedule = valid_schedule(sketch, {0, 1});
  for (const MemoryTrace& trace : schedule.memory)
    if (trace.memory < 6) CHECK(trace.last == 0);
}

TEST_CASE("copies: what has to make room waits with another core that has room") {
  // The output of the first node is read on core 0 once a second node has had its room.
  const auto sketch_with = [](std::int64_t bits_on_other_core) {
    ProblemSketch sketch(2, 1000);
    sketch.layer({input});
    sketch.cost(0, 10);
    sketch.node({sketch.tensor(output, 400, 1), -1, sketch.tensor(input, 64, 1)});
    sketch.layer({input});
    sketch.cost(1, 10);
    sketch.node({sketch.tensor(output, bits_on_other_core, 1), -1, sketch.tensor(input, 64, 1)});
    sketch.layer({input});
    sketch.cost(0, 100);
    sketch.node({sketch.tensor(output, 200, 0), -1, sketch.tensor(input, 500, 1)});
    sketch.layer({});
    sketch.cost(0, 10);
    sketch.node({sketch.tensor(output, 64, 0), -1, -1});
    sketch.edge(0, 3, input, 400);
    sketch.layer({});
    sketch.cost(1, 10);
    sketch.node({sketch.tensor(output, 64, 0), -1, -1});
    sketch.edge(1, 4, input, bits_on_other_core);
    sketch.options.order = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}};
    return sketch;
  };
  const auto way = [&](std::int64_t bits_on_other_core) {
    ProblemSketch sketch = sketch_with(bits_on_other_core);
    const Schedule schedule = valid_schedule(sketch);
    std::vector<int> cores;
    for (const Transfer* transfer : moves_of(schedule, 0)) {
      cores.push_back(transfer->sender);
      cores.push_back(transfer->receiver);
    }
    return cores;
  };
  CHECK(way(64) == std::vector<int>{0, 1, 1, 0});
  // Half of a memory stays free for what its own core needs next.
  CHECK(way(200) == std::vector<int>{0, 2, 2, 0});
}

TEST_CASE("copies: a sum on the core where its larger input is written moves the other one alone") {
  ProblemSketch sketch(2, 20'000);
  int large = 0;
  for (const int core : {0, 1}) {
    sketch.layer({input});
    sketch.cost(core, 10);
    large = sketch.tensor(output, core == 0 ? 640 : 6400, 1);
    sketch.node({large, -1, sketch.tensor(input, 64, 1)}, 0, false);
  }
  sketch.layer({});
  sketch.cost(0, 10);
  sketch.cost(1, 10);
  sketch.node({sketch.tensor(output, 64, 0), -1, -1});
  sketch.edge(0, 2, weight, 640);
  sketch.edge(1, 2, input, 6400);
  const Schedule beside = valid_schedule(sketch, {1}), apart = valid_schedule(sketch, {0});
  CHECK(moves_of(beside, large).empty());
  CHECK(moves_of(apart, large).size() == 1);
  CHECK(beside.latency < apart.latency);
}

TEST_CASE("copies: constants that no sample in flight reads leave for others, also in lockstep") {
  // Sample by sample: a constant of core 0, an input that stays there for long, and a constant of both
  // cores.
  const auto starts_with = [](bool lockstep) {
    ProblemSketch sketch(2, 9000);
    sketch.graph->samples = 2;
    sketch.layer({weight, input});
    sketch.cost(0, 10);
    const int idle = sketch.tensor(input, 4000, 2);
    for (int sample = 0; sample < 2; ++sample) sketch.node({sketch.tensor(output, 64, 0), -1, idle});
    sketch.layer({input, weight});
    sketch.cost(0, 1000);
    for (int sample = 0; sample < 2; ++sample)
      sketch.node({sketch.tensor(output, 64, 0), -1, sketch.tensor(input, 4000, 1)});
    sketch.layer({weight, input});
    sketch.cost(0, 10);
    sketch.cost(1, 10);
    sketch.graph->layers.back().outer_loops = {{0, 2, true, lockstep}};
    const int shared = sketch.tensor(input, 4000, 4);
    for (int node = 0; node < 4; ++node) sketch.node({sketch.tensor(output, 64, 0), -1, shared}, node % 2);
    sketch.options.order = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {0, 1}, {1, 1}, {2, 2}, {2, 3}};
    const Schedule schedule = valid_schedule(sketch, {0, 1});
    std::vector<double> starts;
    for (const Transfer* transfer : moves_of(schedule, shared)) starts.push_back(transfer->start);
    return starts;
  };
  // The input stays until cycle 1126, and both do not fit beside the constant that leaves.
  const std::vector<double> in_lockstep = starts_with(true), alone = starts_with(false);
  REQUIRE(in_lockstep.size() >= 2);
  CHECK(in_lockstep[0] < 200);
  CHECK(in_lockstep[1] == in_lockstep[0]);
  REQUIRE(!alone.empty());
  CHECK(alone[0] < 200);
}

}  // namespace zz::test
