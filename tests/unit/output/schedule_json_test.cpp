#include "core/output/json/schedule_json.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"
#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::json;

TEST_CASE("a schedule is written with the fields and figures of the recorded ones") {
  const std::vector<std::string> names = test::recorded_case_names();
  if (names.empty()) MESSAGE("skipped: no recorded schedules beside the checkout");
  int compared = 0;
  for (const std::string& name : names) {
    const test::RecordedCase recorded = test::recorded_case_of_schedules(name);
    for (const Json& expected : recorded.schedules) {
      if (!expected.contains("latency")) continue;
      const Json written =
          Json::parse(schedule_json(schedule_evaluation(test::recorded_schedule(recorded, expected))));
      for (const auto& row : expected.items()) {
        const std::string& key = row.key();
        if (key == "name" || key == "wall_seconds") continue;
        CHECK_MESSAGE(written.value(key, Json()) == row.value(),
                      name << ' ' << expected["name"] << ": " << key);
      }
      ++compared;
    }
  }
  CHECK((names.empty() || compared > test::daily(50, 100)));
}

TEST_CASE("a schedule says what its links were used for") {
  const Json written = Json::parse(schedule_json(schedule_evaluation(test::small_schedule())));
  const Json& links = written["links"];
  REQUIRE(links.size() == 3);
  CHECK(links[0]["transfers"] == Json::array({2}));
  CHECK(links[0]["bandwidth_bits_per_cycle"] == "inf");
  CHECK(links[2]["sender"] == "Any");
  // Transfers 0 to 10 and 10 to 14, a block from 30 to 50 that covers the transfer from 40 to 44.
  CHECK(links[2]["transfers"] == Json::array({0, 1, 3}));
  CHECK(links[2]["blocks"] == Json::array({0}));
  CHECK(links[2]["active_cycles"] == 34);
}

TEST_CASE("whole numbers have no point, others read back exactly") {
  Schedule schedule = test::small_schedule();
  schedule.nodes[0].start = 0.1 + 0.2;
  const std::string text = schedule_json(schedule_evaluation(std::move(schedule)));
  CHECK(text.find("[0, 0, 0, 0.30000000000000004, 30]") != text.npos);
  CHECK(text.find("\"latency\": 54,") != text.npos);
}

TEST_CASE("figures and metrics of a changed evaluation are written") {
  Evaluation evaluation = schedule_evaluation(test::small_schedule());
  evaluation.energy_total = 7.5;
  evaluation.metrics = {{"slack \"left\"", 2}};
  const Json written = Json::parse(schedule_json(evaluation));
  CHECK(written["energy"] == 7.5);
  CHECK(written["metrics"] == Json{{"slack \"left\"", 2}});
}

TEST_CASE("what is no schedule cannot be written as one") {
  CHECK_THROWS_AS(schedule_json(Evaluation()), InputError);
  CHECK_THROWS_AS(schedule_json(schedule_evaluation(Schedule())), InputError);
}

}  // namespace
}  // namespace zz::core
