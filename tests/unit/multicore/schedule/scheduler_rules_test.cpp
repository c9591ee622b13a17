#include <algorithm>
#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/multicore/check/violations.hpp"
#include "tests/unit/worlds/schedules.hpp"

// The physical rules, one by one, where they differ from Stream's.
namespace zz::test {
namespace {

using namespace core;
constexpr int o = ProblemSketch::o, w = ProblemSketch::w, i = ProblemSketch::i;

void check_valid(const Schedule& schedule) {
  for (const Violation& violation : find_violations(schedule)) {
    const std::string text = violation.rule + ": " + violation.what;
    FAIL_CHECK(text);
  }
}

const Transfer& transfer_to(const Schedule& schedule, int tensor, int receiver) {
  for (const Transfer& transfer : schedule.transfers) {
    if (transfer.tensor == tensor && transfer.receiver == receiver) return transfer;
  }
  FAIL("no such transfer");
  return schedule.transfers.front();
}

}  // namespace

TEST_CASE("a node waits for what is on its way") {
  // Both nodes need the weights of 6400 bits, 100 cycles; the second one finds them listed already.
  ProblemSketch sketch(2, 1 << 20);
  sketch.options.prefetch = {"W"};
  sketch.layer({w, i});
  sketch.cost(0, 10);
  const int weights = sketch.tensor(w, 6400, 1);
  sketch.node({sketch.tensor(o, 64, 0), weights, sketch.tensor(i, 0, 1)});
  CHECK(times_of(sketch.schedule(true))[0].first == 0);
  const Schedule schedule = sketch.schedule(false);
  CHECK(times_of(schedule)[0].first == 100);
  check_valid(schedule);
}

TEST_CASE("a core that fetches for another one at the same time shares the link") {
  // One layer in two groups on two cores, the weights common to both.
  ProblemSketch sketch(2, 1 << 20);
  sketch.layer({w, i});
  sketch.cost(0, 10);
  sketch.cost(1, 10);
  const int weights = sketch.tensor(w, 6400, 2);
  sketch.node({sketch.tensor(o, 64, 0), weights, sketch.tensor(i, 640, 1)}, 0);
  sketch.node({sketch.tensor(o, 64, 0), weights, sketch.tensor(i, 640, 1)}, 1);
  Scheduler scheduler(sketch.problem(false));
  ScheduleChoice choice;
  choice.cores = {0, 1};
  const Schedule schedule = scheduler.schedule(choice);
  check_valid(schedule);
  const Transfer &first = transfer_to(schedule, weights, 0), &second = transfer_to(schedule, weights, 1);
  CHECK(first.start == second.start);
  CHECK(first.own[0] + second.own[0] == 1);
  CHECK(first.link_energy == second.link_energy);
}

TEST_CASE("what several cores send to a simd core passes its port") {
  const Schedule schedule = sum_on_simd_core().schedule(false);
  check_valid(schedule);
  CHECK(times_of(schedule)[2] == std::pair<double, double>{10 + 2 * 160 / 16, 35});
}

TEST_CASE("a result stays on its core until it was read there") {
  // The second layer reads the first row only: the first layer has an output that nobody reads.
  ProblemSketch sketch(1, 1 << 20);
  sketch.layer({i});
  sketch.cost(0, 10);
  const int read = sketch.tensor(o, 640, 1);
  sketch.node({read, -1, sketch.tensor(i, 64, 1)});
  sketch.node({sketch.tensor(o, 640, 0), -1, sketch.tensor(i, 64, 1)});
  sketch.layer({});
  sketch.cost(0, 10);
  sketch.node({sketch.tensor(o, 64, 0), -1, -1});
  sketch.edge(0, 1, -1, 0);
  sketch.edge(0, 2, i, 640);
  const auto fetched_again = [&](const Schedule& schedule) {
    return std::any_of(schedule.transfers.begin(), schedule.transfers.end(), [&](const Transfer& transfer) {
      return transfer.tensor == read && transfer.receiver == 0;
    });
  };
  CHECK(fetched_again(sketch.schedule(true)));
  const Schedule schedule = sketch.schedule(false);
  CHECK(!fetched_again(schedule));
  CHECK(transfer_to(schedule, read, 1).purpose == EnergyTerm::final_output_memory);
  check_valid(schedule);
}

TEST_CASE("nodes that add to one output take it over from each other, and readers wait for the last one") {
  ProblemSketch sketch(2, 1 << 20);
  sketch.layer({w, i});
  sketch.cost(0, 100);
  sketch.cost(1, 100);
  const int sum = sketch.tensor(o, 640, 1);
  for (int slice = 0; slice < 3; ++slice) {
    const int weights = sketch.tensor(w, 64, 1);
    sketch.node({sum, weights, sketch.tensor(i, 64, 1)}, slice, slice == 2);
  }
  sketch.layer({});
  sketch.cost(0, 10);
  sketch.node({sketch.tensor(o, 64, 0), -1, -1});
  sketch.edge(2, 3, i, 640);

  ScheduleChoice choice;
  choice.cores = {0, 1, 0};
  Scheduler stream(sketch.problem(true));
  CHECK(times_of(stream.schedule(choice))[2].first < 100);
  Scheduler scheduler(sketch.problem(false));
  const Schedule schedule = scheduler.schedule(choice);
  check_valid(schedule);
  const auto times = times_of(schedule);
  CHECK(times[1].first >= times[0].second + 10);
  CHECK(times[2].first >= times[1].second + 10);
  CHECK(times[3].first == times[2].second);
  CHECK(transfer_to(schedule, sum, 1).sender == 0);
  CHECK(transfer_to(schedule, sum, 0).sender == 1);
}

TEST_CASE("inside a core data move between its memories") {
  ProblemSketch sketch(1, 1 << 20);
  sketch.layer({i});
  sketch.cost(0, 10);
  const int between = sketch.tensor(o, 640, 1);
  sketch.node({between, -1, sketch.tensor(i, 64, 1)});
  sketch.layer({});
  sketch.cost(0, 10);
  sketch.node({sketch.tensor(o, 64, 0), -1, -1});
  sketch.edge(0, 1, w, 640);
  Scheduler stream(sketch.problem(true));
  CHECK(!stream.evaluate({}).feasible);
  CHECK(stream.reason().find("no way") != std::string::npos);
  const Schedule schedule = sketch.schedule(false);
  check_valid(schedule);
  CHECK(times_of(schedule)[1].first == times_of(schedule)[0].second + 5);
}

TEST_CASE("an allocation that does not fit says what is too large for which memory") {
  ProblemSketch sketch(1, 1000);
  sketch.layer({w, i});
  sketch.cost(0, 10);
  const int weights = sketch.tensor(w, 64, 1);
  sketch.node({sketch.tensor(o, 640, 0), weights, sketch.tensor(i, 640, 1)});
  Scheduler scheduler(sketch.problem(false));
  CHECK(!scheduler.evaluate({}).feasible);
  CHECK(scheduler.reason() ==
        "node 0 of layer 0 'layer0' on core 0: operand O of node 0 of layer 0 'layer0' (640 bits) does not "
        "fit "
        "into memory 'A' of core 0 (1000 bits) beside what the node needs, 280 bits are missing; split the "
        "layer into smaller nodes");
  CHECK_THROWS_AS(scheduler.schedule({}), NoResult);
}

TEST_CASE("what cannot be scheduled at all is refused at once") {
  ProblemSketch sketch(1, 1000);
  sketch.layer({i});
  sketch.node({sketch.tensor(o, 64, 0), -1, sketch.tensor(i, 64, 1)});
  CHECK_THROWS_WITH_AS(sketch.problem(false),
                       doctest::Contains("layer 0 'layer0' has no core that can run it"), InputError);
  sketch.cost(0, 10);
  sketch.options.order = {{0, 0}, {0, 0}};
  CHECK_THROWS_WITH_AS(sketch.problem(false), doctest::Contains("names node (0, 0) twice"), InputError);
  sketch.options.order = {{0, 1}};
  CHECK_THROWS_WITH_AS(sketch.problem(false), doctest::Contains("(0, 1), which does not exist"),
                       InputError);
  sketch.options.order = {};
  sketch.accelerator->offchip_core.reset();
  CHECK_THROWS_WITH_AS(sketch.problem(false), doctest::Contains("no off-chip memory"), InputError);
}

TEST_CASE("an allocation names a candidate for each gene") {
  ProblemSketch sketch(2, 1 << 20);
  sketch.layer({i});
  sketch.cost(0, 10);
  sketch.cost(1, 20);
  sketch.node({sketch.tensor(o, 64, 0), -1, sketch.tensor(i, 64, 1)});
  const auto problem = sketch.problem(false);
  REQUIRE(problem->genes().size() == 1);
  CHECK(problem->genes()[0].cores == std::vector<int>{0, 1});
  Scheduler scheduler(problem);
  ScheduleChoice choice;
  CHECK_THROWS_WITH_AS(scheduler.evaluate(choice), doctest::Contains("expected one for each of the 1"),
                       InputError);
  choice.cores = {2};
  CHECK_THROWS_WITH_AS(scheduler.schedule(choice), doctest::Contains("expected one of 0, 1"), InputError);
  choice.cores = {1};
  CHECK(scheduler.evaluate(choice).latency == 1 + 20 + 1);
}

}  // namespace zz::test
