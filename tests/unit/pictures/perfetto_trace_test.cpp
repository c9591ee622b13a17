#include "plugins/pictures/perfetto_trace.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/schedules.hpp"

using namespace zz::plugins;

namespace zz::core {
namespace {

using Json = nlohmann::json;

std::vector<Json> events(const Json& trace, const std::string& phase) {
  std::vector<Json> found;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == phase) found.push_back(event);
  return found;
}

std::string track(const Json& trace, const Json& event) {
  for (const Json& name : events(trace, "M"))
    if (name["name"] == "thread_name" && name["pid"] == event["pid"] && name["tid"] == event["tid"])
      return name["args"]["name"];
  return "";
}

}  // namespace

TEST_CASE("a trace has nodes on cores and transfers on links, in order of time") {
  const Json trace = Json::parse(perfetto_trace(test::TinySchedule().schedule));
  const std::vector<Json> slices = events(trace, "X");
  REQUIRE(slices.size() == 7);
  CHECK(slices[2]["name"] == "0: first");
  CHECK(slices[2]["ts"] == 9);
  CHECK(slices[2]["dur"] == 20);
  CHECK(slices[2]["args"]["onchip_energy_pJ"] == 7);
  CHECK(slices[2]["args"]["operands"] == "O 12.5 B, W 6.25 B, I 5 B");
  CHECK(track(trace, slices[2]).substr(0, 6) == "core 0");
  CHECK(slices[4]["args"]["tensor"] == "O of 0: first, node 0");
  CHECK(slices[4]["args"]["bits"] == 100);
  CHECK(track(trace, slices[4]) == "core 0 → core 1");
  double time = 0;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] != "M") {
      CHECK(event["ts"] >= time);
      time = event["ts"];
    }
}

TEST_CASE("an arrow leads from the producer over the transfer to the consumer") {
  const Json trace = Json::parse(perfetto_trace(test::TinySchedule().schedule));
  const std::vector<Json> begin = events(trace, "s"), step = events(trace, "t"), end = events(trace, "f");
  REQUIRE(begin.size() == 1);
  REQUIRE(step.size() == 1);
  REQUIRE(end.size() == 1);
  CHECK(begin[0]["ts"] == 9);
  CHECK(step[0]["ts"] == 29);
  CHECK(end[0]["ts"] == 39);
  CHECK(end[0]["bp"] == "e");
  CHECK(begin[0]["id"] == end[0]["id"]);
}

TEST_CASE("nodes on one core have no arrow") {
  test::TinySchedule tiny;
  tiny.schedule.nodes[1].core = 0;
  const Json trace = Json::parse(perfetto_trace(tiny.schedule));
  CHECK(events(trace, "s").empty());
}

TEST_CASE("memories are counters") {
  const Json trace = Json::parse(perfetto_trace(test::TinySchedule().schedule));
  const std::vector<Json> counters = events(trace, "C");
  REQUIRE(counters.size() == 6);
  CHECK(counters[3]["name"] == "core 1: sram");
  CHECK(counters[3]["ts"] == 39);
  CHECK(counters[3]["args"]["bits"] == 190);
}

TEST_CASE("bars of a link that overlap are in different tracks") {
  const Json trace = Json::parse(perfetto_trace(test::small_schedule()));
  std::vector<Json> on_bus;
  for (const Json& slice : events(trace, "X"))
    if (track(trace, slice) == "bus") on_bus.push_back(slice);
  // Transfers 0 to 10, 10 to 14 and 40 to 44, and a reservation from 30 to 50.
  REQUIRE(on_bus.size() == 4);
  CHECK(on_bus[0]["tid"] == on_bus[1]["tid"]);
  CHECK(on_bus[2]["cat"] == "reservation");
  CHECK(on_bus[2]["tid"] == on_bus[0]["tid"]);
  CHECK(on_bus[3]["tid"] != on_bus[2]["tid"]);
}

TEST_CASE("a schedule without its graph is refused") { CHECK_THROWS_AS(perfetto_trace({}), InputError); }

}  // namespace zz::core
