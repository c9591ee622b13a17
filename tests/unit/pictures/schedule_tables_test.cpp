#include "plugins/pictures/schedule_tables.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/multicore/schedule/schedule.hpp"
#include "tests/unit/worlds/schedules.hpp"

using namespace zz::plugins;

namespace zz::core {
namespace {

VegaTables tables(const SchedulePlotOptions& options) {
  SchedulePlotExtent extent;
  return schedule_plot_tables(schedule_evaluation(test::small_schedule()), {.latency = 27, .edp = 500},
                              options, extent);
}

SchedulePlotExtent drawn(const SchedulePlotOptions& options) {
  SchedulePlotExtent extent;
  schedule_plot_tables(schedule_evaluation(test::small_schedule()), {}, options, extent);
  return extent;
}

}  // namespace

TEST_CASE("tables of a schedule: cores, then links that are used") {
  auto made = tables({});
  REQUIRE(made["rows"].size() == 4);
  CHECK(made["rows"][0]["label"] == "core 0");
  CHECK(made["rows"][0]["share"].get<double>() == doctest::Approx(16.0 / 54));
  CHECK(made["rows"][2]["label"] == "core 0 → core 1");
  CHECK(made["rows"][3]["label"] == "bus");
  CHECK(made["rows"][3]["lanes"] == 2);
  CHECK(made["nodes"].size() == 2);
  CHECK(made["nodes"][1]["layer"] == 1);
  CHECK(made["transfers"].size() == 4);
  CHECK(made["transfers"][0]["what"] == "W of 0: first, node 0");
  CHECK(made["transfers"][0]["constant"] == true);
  CHECK(made["blocks"].size() == 1);
  CHECK(made["dependencies"].size() == 1);
  CHECK(made["schedule"][0]["until"] == 54);
  CHECK(drawn({}).all_bars == 7);
  CHECK(drawn({}).bars == 7);
}

TEST_CASE("figures of a schedule stand beside the bounds that are known") {
  auto figures = tables({})["figures"];
  REQUIRE(figures.size() == 3);
  CHECK(figures[0]["value"] == 54);
  CHECK(figures[0]["bound"] == 27);
  CHECK(figures[0]["gap"] == 1);
  CHECK(figures[1]["value"] == 10);
  CHECK(!figures[1].contains("bound"));
  CHECK(figures[2]["gap"].get<double>() == doctest::Approx(54 * 10 / 500. - 1));
}

TEST_CASE("in the steady state the bound stands beside the period") {
  Schedule schedule = test::small_schedule();
  schedule.period = 36;
  SchedulePlotExtent extent;
  const auto made = schedule_plot_tables(schedule_evaluation(std::move(schedule)),
                                         {.latency = 27, .energy = 8, .edp = 324}, {}, extent);
  CHECK(made["schedule"][0]["period"] == 36);
  const auto& figures = made["figures"];
  CHECK(figures[0]["figure"] == "period");
  CHECK(figures[0]["value"] == 36);
  CHECK(figures[0]["gap"].get<double>() == doctest::Approx(1 / 3.0));
  CHECK(figures[2]["figure"] == "energy × period");
  CHECK(figures[2]["value"] == 360);
}

TEST_CASE(
    "the terms of a schedule's energy add up, and bits are those of each link, also where none is drawn") {
  auto made = tables({.links = false});
  double energy = 0;
  for (const auto& term : made["energy_terms"]) energy += term["energy"].get<double>();
  CHECK(made["energy_terms"].size() == 4);
  CHECK(energy == 10);
  const Evaluation evaluation = schedule_evaluation(test::small_schedule());
  const std::vector<Transfer>& transfers = evaluation.schedule->transfers;
  REQUIRE(made["link_bits"].size() == 2);
  CHECK(made["link_bits"][0]["link"] == "core 0 → core 1");
  CHECK(made["link_bits"][0]["bits"] == transfers[2].bits);
  // 20 cycles of a stream with 16 bits in each.
  CHECK(made["link_bits"][1]["bits"] ==
        transfers[0].bits + transfers[1].bits + transfers[3].bits + 20 * 16);
}

TEST_CASE("memories that are never used are not in the tables") {
  auto made = tables({});
  REQUIRE(made["memories"].size() == 1);
  CHECK(made["memories"][0]["capacity"] == 4096);
  REQUIRE(made["steps"].size() == 3);
  CHECK(made["steps"][1]["end"] == 30);
  CHECK(made["steps"][2]["end"] == 54);  // the last step lasts until the end
}

TEST_CASE("without links there are only cores") {
  auto made = tables({.links = false});
  CHECK(made["rows"].size() == 2);
  CHECK(made["transfers"].empty());
  CHECK(made["blocks"].empty());
  CHECK(drawn({.links = false}).all_bars == 2);
}

TEST_CASE("a limit keeps the first bars and what belongs to them") {
  auto made = tables({.most_bars = 3});
  CHECK(drawn({.most_bars = 3}).all_bars == 7);
  CHECK(drawn({.most_bars = 3}).bars == 3);
  CHECK(made["schedule"][0]["until"] == 30);
  CHECK(made["nodes"].size() == 1);
  CHECK(made["dependencies"].empty());
  CHECK(made["steps"].back()["end"] == 30);
}

}  // namespace zz::core
