#include "core/multicore/explain/critical_chain.hpp"

#include <doctest/doctest.h>

#include "tests/unit/worlds/recorded_schedules.hpp"
#include "tests/unit/worlds/schedules.hpp"

namespace zz::core {
namespace {

/// From the latency down to 0 without a gap.
void check_tiles(const std::vector<ChainPart>& chain, double latency) {
  double at = latency;
  for (const ChainPart& part : chain) {
    REQUIRE(part.end == at);
    REQUIRE(part.start < part.end);
    at = part.start;
  }
  CHECK(at == 0);
}

}  // namespace

TEST_CASE("the critical chain of a schedule that was followed by hand") {
  const test::TinySchedule tiny;
  const std::vector<ChainPart> chain = critical_chain(tiny.schedule);
  check_tiles(chain, 75);
  REQUIRE(chain.size() == 6);
  CHECK(chain[0].use == TimeUse::writing_back);
  CHECK(chain[0].resource == "off-chip ↔ any");
  CHECK(chain[0].cycles() == 6);
  CHECK(chain[1].use == TimeUse::computing);
  CHECK(chain[1].resource == "core 1");
  CHECK(chain[1].core);
  CHECK(chain[1].node == 1);
  CHECK(chain[1].cycles() == 30);
  CHECK(chain[2].use == TimeUse::carrying_data);
  CHECK(chain[2].resource == "core 0 → core 1");
  CHECK(chain[2].transfer == test::TinySchedule::send_o0);
  CHECK(chain[3].resource == "core 0");
  CHECK(chain[3].cycles() == 20);
  // The inputs came after the weights on the same link.
  CHECK(chain[4].transfer == test::TinySchedule::send_i0);
  CHECK(chain[4].cycles() == 4);
  CHECK(chain[5].transfer == test::TinySchedule::send_w0);
  CHECK(chain[5].cycles() == 5);

  const std::vector<ChainShare> shares = chain_shares(chain);
  CHECK(shares[0].resource == "core 1");
  CHECK(shares[0].cycles == 30);
  CHECK(shares[2].resource == "off-chip ↔ any");
  CHECK(shares[2].cycles == 15);
  const ScheduleLimit limit = schedule_limit(shares);
  CHECK(limit.resource == "core 1");
  CHECK(limit.cycles == 30);
}

TEST_CASE("a wait that nothing running explains is a part of the chain, with its cause") {
  test::TinySchedule tiny;
  // The data are there at cycle 39, but the node begins later.
  tiny.schedule.nodes[1].start = 42;
  tiny.schedule.nodes[1].end = 72;
  tiny.schedule.transfers[test::TinySchedule::send_o1].start = 72;
  tiny.schedule.transfers[test::TinySchedule::send_o1].end = 78;
  tiny.schedule.latency = 78;
  const std::vector<ChainPart> chain = critical_chain(tiny.schedule);
  check_tiles(chain, 78);
  REQUIRE(chain.size() == 7);
  CHECK(chain[2].use == TimeUse::memory);
  CHECK(chain[2].is_wait());
  CHECK(chain[2].resource == "core 1: sram");
  CHECK(chain[2].node == 1);
  CHECK(chain[2].cycles() == 3);
}

TEST_CASE("cores limit together where none has more than half of what they have") {
  CHECK(schedule_limit({}).resource.empty());
  const ScheduleLimit cores = schedule_limit(
      {{"bus", false, 40}, {"core 0", true, 30}, {"core 1", true, 20}, {"core 2", true, 10}});
  CHECK(cores.resource == "cores");
  CHECK(cores.cycles == 60);
  CHECK(schedule_limit({{"core 0", true, 35}, {"core 1", true, 30}, {"bus", false, 20}}).resource ==
        "core 0");
  CHECK(schedule_limit({{"bus", false, 61}, {"core 0", true, 30}, {"core 1", true, 30}}).resource == "bus");
  // The busiest resource is a link, but the cores have more of the chain.
  const ScheduleLimit mixed =
      schedule_limit({{"bus", false, 44}, {"core 4", true, 35}, {"core 0", true, 14}});
  CHECK(mixed.resource == "cores");
  CHECK(mixed.cycles == 49);
  // Nobody knows whose time it was.
  CHECK(schedule_limit({{"", false, 61}, {"core 0", true, 30}}).resource == "core 0");
}

TEST_CASE("chains add up to the latency, and the nodes' shares to the times of their cores") {
  int made = 0;
  for (const std::string& name : test::recorded_case_names()) {
    const test::RecordedCase recorded = test::recorded_case_of_schedules(name);
    for (const bool as_stream : {false, true}) {
      const auto problem = recorded.problem(as_stream);
      Scheduler scheduler(problem);
      ScheduleChoice choice;
      for (const Gene& gene : problem->genes()) choice.cores.push_back(gene.cores.back());
      if (!scheduler.evaluate(choice).feasible) continue;
      const Schedule schedule = scheduler.schedule(choice);
      CAPTURE(name);
      CAPTURE(as_stream);
      check_tiles(critical_chain(schedule), schedule.latency);
      const std::vector<UseCycles> uses = node_uses(schedule);
      for (const ResourceTime& time : resource_times(schedule)) {
        if (time.link) continue;
        for (int use = 0; use < time_use_count - 1; ++use) {
          double sum = 0;
          for (std::size_t i = 0; i < uses.size(); ++i)
            if (schedule.nodes[i].core == time.index) sum += uses[i][use];
          REQUIRE(sum == doctest::Approx(time.cycles[use]).epsilon(1e-9));
        }
      }
      ++made;
    }
  }
  MESSAGE(made << " recorded cases");
}

}  // namespace zz::core
