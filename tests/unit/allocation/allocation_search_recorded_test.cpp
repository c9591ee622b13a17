#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "core/allocation/allocation_search.hpp"
#include "core/scheduling/schedule_check.hpp"
#include "tests/unit/allocation/parallel.hpp"
#include "tests/unit/scheduling/recorded_case.hpp"

// Searches of recorded problems against what Stream 0.0.8 found, and against all there is.
namespace zz::test {
namespace {

using namespace core;
using nlohmann::json;

struct Figures {
  double latency = 0, energy = 0;
};

bool same(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// What no other one beats, by ascending energy.
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

void check_points(const AllocationResult& result, const std::shared_ptr<const ScheduleProblem>& problem,
                  bool valid) {
  Scheduler scheduler(problem);
  for (const ParetoPoint& point : result.front) {
    const Schedule schedule = scheduler.schedule(point.choice);
    CHECK_EQ(schedule.latency, point.latency);
    CHECK(same(schedule.energy, point.energy));
    CHECK_GE(point.latency, result.latency_bound);
    if (!valid) continue;
    const std::vector<ScheduleViolation> found = find_violations(schedule, 1);
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

}  // namespace

TEST_CASE("search: the true front of every case whose allocations are all known") {
  int cases = 0;
  for (const std::string& name : cases_with_schedules()) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    if (recorded.exhaustive.is_null() || recorded.exhaustive.empty()) continue;
    ++cases;
    const auto problem = recorded.problem(true);
    const std::vector<Figures> expected = front_of(recorded.exhaustive);
    for (const SearchMethod method :
         {SearchMethod::automatic, SearchMethod::exhaustive, SearchMethod::genetic}) {
      CAPTURE(name);
      AllocationOptions options;
      options.method = method;
      const AllocationResult result = search_allocations(problem, options, on_threads(1), {});
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
  if (cases_with_schedules().empty()) return;
  const RecordedCase recorded = recorded_case_of_schedules("fsrcnn_oy14");
  for (const bool orders : {false, true}) {
    AllocationOptions options;
    options.evaluation_limit = 400;
    options.search_order = orders;
    options.seed = 3;
    const AllocationResult one = search_allocations(recorded.problem(false), options, on_threads(1), {});
    check_points(one, recorded.problem(false), true);
    for (const int threads : {2, 4}) {
      const AllocationResult other =
          search_allocations(recorded.problem(false), options, on_threads(threads), {});
      REQUIRE_EQ(other.front.size(), one.front.size());
      CHECK_EQ(other.evaluations, one.evaluations);
      for (std::size_t i = 0; i < one.front.size(); ++i) {
        CHECK(other.front[i].choice == one.front[i].choice);
        CHECK_EQ(other.front[i].latency, one.front[i].latency);
        CHECK_EQ(other.front[i].energy, one.front[i].energy);
      }
    }
  }
}

// So few evaluations (26 to 182) are a matter of luck as well. Of the seeds 0 to 7 these many reach the
// smallest recorded latency and energy: fsrcnn_oy14 5 and 8, resnet18_bus 7 and 2, resnet18_bus_oy4 5 and
// 6, resnet18_fused_ga_16x10 4 and 5, resnet18_fused_oy_all 8 and 6, resnet18_mode4 8 and 8. None
// reaches the smallest energy of resnet18_mode3 and resnet18_mode4_split_flexible; all are within 0.1 % of
// it.
TEST_CASE("search: most seeds do what was recorded, within the recorded number of evaluations") {
  constexpr int seeds = 8;
  int searches = 0, all_fast = 0, all_lean = 0;
  for (const std::string& name : cases_with_schedules()) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    const auto problem = recorded.problem(true);
    if (recorded.searched.empty() || problem->genes().empty()) continue;
    const Figures best = best_recorded(recorded);
    if (!std::isfinite(best.latency)) continue;
    AllocationOptions options;
    options.evaluation_limit =
        static_cast<std::int64_t>(recorded.searched.size() + recorded.schedules.size());
    options.individuals = 4;
    int fast = 0, lean = 0;
    double mean_latency = 0, mean_energy = 0;  // of the recorded ones
    for (int seed = 0; seed < seeds; ++seed) {
      options.seed = seed;
      const AllocationResult result = search_allocations(problem, options, on_threads(1), {});
      REQUIRE_FALSE(result.front.empty());
      const double latency = result.front.back().latency, energy = result.front.front().energy;
      fast += latency <= best.latency ? 1 : 0;
      lean += energy <= best.energy * (1 + 1e-9) ? 1 : 0;
      mean_latency += latency / best.latency / seeds;
      mean_energy += energy / best.energy / seeds;
    }
    searches += seeds;
    all_fast += fast;
    all_lean += lean;
    CAPTURE(name);
    CHECK_GE(fast, seeds / 2);
    CHECK_LE(mean_latency, 1.01);
    CHECK_LE(mean_energy, 1.01);
  }
  MESSAGE(searches, " searches, ", all_fast, " as fast and ", all_lean, " as lean as anything recorded");
  CHECK_GE(all_lean, searches * 2 / 3);
  CHECK_GE(all_fast, searches * 4 / 5);
}

// Slow: CTest runs it as "unit-slow/better than the reference".
TEST_CASE("search: better than the reference, with valid schedules" * doctest::skip()) {
  if (cases_with_schedules().empty()) return;
  // The best that is known of the same problems without the bandwidth of streams.
  const std::vector<std::pair<std::string, double>> goals = {
      {"fsrcnn_oy14", 41655055}, {"resnet18_fused_oy_all", 20983852}, {"resnet18_mode4", 16560657}};
  for (const auto& [name, latency] : goals) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    const auto problem = recorded.problem(false);
    AllocationOptions options;
    options.evaluation_limit = 40000;
    options.search_order = true;
    const AllocationResult result = search_allocations(problem, options, on_threads(2), {});
    REQUIRE_FALSE(result.front.empty());
    const double reached = result.front.back().latency;
    CHECK_MESSAGE(reached <= latency, name, ": ", reached);
    check_points(result, problem, true);
  }
}

}  // namespace zz::test
