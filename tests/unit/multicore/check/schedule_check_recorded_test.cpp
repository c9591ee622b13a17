#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>

#include "core/multicore/check/violations.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"
#include "tests/unit/worlds/thorough.hpp"

// The schedules of Stream 0.0.8 break rules of physics in known numbers; those made by default break none.
namespace zz::test {
namespace {

using namespace core;

constexpr std::size_t all = 1'000'000;

}  // namespace

TEST_CASE("schedule check: what recorded schedules are known to break is found") {
  const std::vector<std::string> names = recorded_case_names();
  if (names.empty()) {
    MESSAGE("skipped: no recorded cases beside the checkout");
    return;
  }
  std::map<std::string, int> count;
  std::map<std::string, std::set<std::string>> schedules;
  for (const std::string& name : names) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    Scheduler scheduler(recorded.problem(true));
    for (const nlohmann::json& entry : recorded.schedules) {
      if (!entry.contains("latency")) continue;
      for (const Violation& violation : find_violations(
               scheduler.schedule(recorded.choice(entry.value("genes", nlohmann::json()))), all)) {
        ++count[violation.rule];
        schedules[violation.rule].insert(name + " " + entry.at("name").get<std::string>());
      }
    }
  }
  if (thorough()) {
    CHECK_EQ(count["input missing"], 2380 + 423);  // dropped before the start, while the node runs
    CHECK_EQ(count["streamed input missing"], 2805 + 1183);  // never off-chip, too late
    CHECK_EQ(count["source missing"], 331 + 362);            // not there yet, dropped on the way
    CHECK_EQ(count["shared transfer"], 1644 + 21);           // on an old transfer of one's own, on a stream
    CHECK_EQ(count["streaming"], 3471);
    CHECK_EQ(schedules["streaming"].size(), 153);
    CHECK_EQ(schedules["memory"].size(), 25);
  }
  for (const char* kept :
       {"entry", "node missing", "group", "core overlap", "runtime", "order", "transfer rate", "route",
        "memory trace", "output missing", "energy", "latency"}) {
    CHECK_MESSAGE(count[kept] == 0, kept, ": ", count[kept]);
  }
}

TEST_CASE("schedule check: by default nothing is broken, whatever the dispatch rule") {
  int variant = 0;
  for (const std::string& name : recorded_case_names()) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    Scheduler scheduler(recorded.problem(false));
    for (const nlohmann::json& entry : recorded.schedules) {
      if (!entry.contains("latency")) continue;
      ScheduleChoice choice = recorded.choice(entry.value("genes", nlohmann::json()));
      for (const DispatchRule rule :
           {DispatchRule::rank, DispatchRule::earliest_start, DispatchRule::critical_path}) {
        for (const bool back_filling : {false, true}) {
          if (variant++ % daily(11, 1) != 0) continue;  // six of them: each has its turn
          choice.dispatch = rule;
          choice.back_filling = back_filling;
          if (!scheduler.evaluate(choice).feasible) continue;
          const std::vector<Violation> found = find_violations(scheduler.schedule(choice), 1);
          const std::string first = found.empty() ? "" : found[0].rule + ": " + found[0].what;
          CHECK_MESSAGE(first.empty(), name, " ", entry.at("name").get<std::string>(), ": ", first);
        }
      }
    }
  }
}

}  // namespace zz::test
