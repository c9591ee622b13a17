#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "core/multicore/check/violations.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"
#include "tests/unit/worlds/searches.hpp"
#include "tests/unit/worlds/thorough.hpp"

// Searches of recorded problems against what Stream 0.0.8 found, and against all there is.
namespace zz::test {
namespace {

using namespace core;
using nlohmann::json;

struct Figures {
  double latency = 0, energy = 0;
};

bool same(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// The figures that no others beat, by ascending energy.
std::vector<Figures> front_of(const json& allocations) {
  std::vector<Figures> all;
  for (const json& entry : allocations) {
    if (entry.size() > 3 && entry[3].is_string()) continue;
    all.push_back({entry[1], entry[2]});
  }
  std::sort(all.begin(), all.end(), [](const Figures& a, const Figures& b) {
    return std::pair(a.energy, a.latency) < std::pair(b.energy, b.latency);
  });
  std::vector<Figures> front;
  for (const Figures& entry : all) {
    if (front.empty() || entry.latency < front.back().latency) front.push_back(entry);
  }
  return front;
}

void check_points(const ScheduleSearchResult& result, const std::shared_ptr<const ScheduleProblem>& problem,
                  bool valid) {
  Scheduler scheduler(problem);
  for (const FoundSchedule& point : result.front) {
    const Schedule schedule = scheduler.schedule(point.choice);
    CHECK_EQ(schedule.latency, point.latency);
    CHECK(same(schedule.energy, point.energy));
    CHECK_GE(point.latency, result.bounds.latency.value);
    if (!valid) continue;
    const std::vector<Violation> found = find_violations(schedule, 1);
    const std::string first = found.empty() ? "" : found[0].rule + ": " + found[0].what;
    CHECK_EQ(first, "");
  }
}

/// The smallest latency and energy recorded for a case, in stored allocations and in its search.
Figures best_recorded(const RecordedCase& recorded) {
  const double never = std::numeric_limits<double>::infinity();
  Figures best{never, never};
  const auto consider = [&](double latency, double energy) {
    best = {std::min(best.latency, latency), std::min(best.energy, energy)};
  };
  for (const json& entry : recorded.schedules) {
    if (entry.contains("latency")) consider(entry.at("latency"), entry.at("energy"));
  }
  for (const json& entry : recorded.searched) consider(entry[2], entry[1]);
  return best;
}

/// Searches with the seeds from 0 on, and no more schedules than were recorded, for a point as fast as the
/// fastest that was recorded and one as lean as the leanest.
void check_reaches_recorded(const std::string& name, int seeds) {
  const RecordedCase recorded = recorded_case_of_schedules(name);
  const auto problem = recorded.problem(true);
  if (recorded.searched.empty() || problem->genes().empty()) return;
  const Figures best = best_recorded(recorded);
  if (!std::isfinite(best.latency)) return;
  ScheduleSearchOptions options;
  options.evaluation_limit =
      static_cast<std::int64_t>(recorded.searched.size() + recorded.schedules.size());
  for (int seed = 0; seed < seeds; ++seed) {
    CAPTURE(name);
    CAPTURE(seed);
    options.seed = static_cast<std::uint64_t>(seed);
    const ScheduleSearchResult result = search_schedules(problem, options, on_threads(1));
    CHECK_LE(result.schedules, options.evaluation_limit);
    REQUIRE_FALSE(result.front.empty());
    CHECK_LE(result.front.back().latency, best.latency);
    CHECK_LE(result.front.front().energy, best.energy * (1 + 1e-9));
  }
}

}  // namespace

TEST_CASE("search: the true front of every case whose allocations are all known") {
  int cases = 0;
  for (const std::string& name : recorded_case_names()) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    if (recorded.exhaustive.is_null() || recorded.exhaustive.empty()) continue;
    ++cases;
    const auto problem = recorded.problem(true);
    const std::vector<Figures> expected = front_of(recorded.exhaustive);
    for (const SearchMethod method :
         {SearchMethod::automatic, SearchMethod::exhaustive, SearchMethod::genetic}) {
      CAPTURE(name);
      ScheduleSearchOptions options;
      options.method = method;
      const ScheduleSearchResult result = search_schedules(problem, options, on_threads(1));
      REQUIRE_EQ(result.front.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK_EQ(result.front[i].latency, expected[i].latency);
        CHECK(same(result.front[i].energy, expected[i].energy));
      }
      if (method != SearchMethod::genetic) CHECK(result.exhaustive);
      check_points(result, problem, false);
    }
  }
  if (cases == 0) MESSAGE("skipped: no recorded cases beside the checkout");
}

TEST_CASE("search: one front for a seed, on any number of threads") {
  if (recorded_case_names().empty()) return;
  const RecordedCase recorded = recorded_case_of_schedules("fsrcnn_oy14");
  for (const bool orders : {false, true}) {
    ScheduleSearchOptions options;
    options.evaluation_limit = daily(40, 400);
    options.orders_move = orders;
    options.seed = 3;
    const ScheduleSearchResult one = search_schedules(recorded.problem(false), options, on_threads(1));
    check_points(one, recorded.problem(false), true);
    for (int threads = daily(4, 2); threads <= 4; threads += 2) {
      const ScheduleSearchResult other =
          search_schedules(recorded.problem(false), options, on_threads(threads));
      REQUIRE_EQ(other.front.size(), one.front.size());
      CHECK_EQ(other.schedules, one.schedules);
      for (std::size_t i = 0; i < one.front.size(); ++i) {
        CHECK(other.front[i].choice == one.front[i].choice);
        CHECK_EQ(other.front[i].latency, one.front[i].latency);
        CHECK_EQ(other.front[i].energy, one.front[i].energy);
      }
    }
  }
}

TEST_CASE("search: one seed does what was recorded, within the recorded number of evaluations") {
  for (const std::string& name : recorded_case_names()) check_reaches_recorded(name, 1);
}

// Slow: CTest runs it as "unit-slow/as good as recorded".
TEST_CASE("search: every seed does what was recorded, within the recorded number of evaluations" *
          doctest::skip()) {
  for (const std::string& name : recorded_case_names()) check_reaches_recorded(name, 8);
}

// Slow: CTest runs it as "unit-slow/better than the reference".
TEST_CASE("search: better than the reference, with valid schedules" * doctest::skip()) {
  if (recorded_case_names().empty()) return;
  // The best that is known of the same problems without the bandwidth of streams.
  const std::vector<std::pair<std::string, double>> goals = {
      {"fsrcnn_oy14", 41655055}, {"resnet18_fused_oy_all", 20983852}, {"resnet18_mode4", 16560657}};
  for (const auto& goal : goals) {
    const std::string& name = goal.first;
    const double latency = goal.second;
    const RecordedCase recorded = recorded_case_of_schedules(name);
    const auto problem = recorded.problem(false);
    ScheduleSearchOptions options;
    options.evaluation_limit = 40000;
    options.orders_move = true;
    const ScheduleSearchResult result = search_schedules(problem, options, on_threads(2));
    REQUIRE_FALSE(result.front.empty());
    const double reached = result.front.back().latency;
    CHECK_MESSAGE(reached <= latency, name, ": ", reached);
    check_points(result, problem, true);
  }
}

}  // namespace zz::test
