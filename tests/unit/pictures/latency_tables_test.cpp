#include "plugins/pictures/latency_tables.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/unit/worlds/hand_example.hpp"

using namespace zz::core;
using namespace zz::plugins;

namespace {

std::shared_ptr<const Evaluation> hand_example(std::int64_t id) {
  Layer product = zz::test::product_by_hand();
  product.id = id;
  return std::make_shared<const Evaluation>(
      zz::test::evaluated(zz::test::narrow_dram(), product, zz::test::order_by_hand));
}

double cycles_of(const VegaTables& tables, std::size_t result, const char* kind) {
  double cycles = 0;
  for (const auto& row : tables["latency"])
    if (row["result"] == result && row["kind"] == kind) cycles += row["cycles"].get<double>();
  return cycles;
}

}  // namespace

TEST_CASE("latency: parts by kind, limiters by their cycles, and ports") {
  const VegaTables tables = latency_tables({hand_example(1)});
  REQUIRE(tables["results"].size() == 1);
  CHECK(tables["results"][0]["share"].is_null());
  CHECK(tables["results"][0]["limited_by"] == "dram rw_port_1 58 %, buffer w_port_1 41 %");
  CHECK(tables["results"][0]["help"] == "35.2 %: buffer: reads of I through a port of its own");
  CHECK(cycles_of(tables, 0, "working") == 48);
  CHECK(cycles_of(tables, 0, "behind") == 16);
  CHECK(cycles_of(tables, 0, "waiting") == doctest::Approx(77));
  CHECK(cycles_of(tables, 0, "loading") == 38);
  CHECK(tables["limiters"][0]["label"] == "buffer r_port_1");
  CHECK(tables["limiters"][0]["kind"] == "port");
  REQUIRE(tables["ports"].size() == 3);
  CHECK(tables["ports"][0]["needed"] == 141);
}

TEST_CASE("latency: a network has a row for all of its layers, mappings of one layer have none") {
  const VegaTables network = latency_tables({hand_example(1), hand_example(2)});
  REQUIRE(network["results"].size() == 3);
  CHECK(network["results"][2]["label"] == "all layers");
  CHECK(network["results"][2]["cycles"] == 2 * 179);
  CHECK(network["results"][0]["share"] == 0.5);
  CHECK(cycles_of(network, 2, "behind") == 32);
  CHECK(network["ports"][6]["stall"] == 2 * 77);
  CHECK(latency_tables({hand_example(1), hand_example(1)})["results"].size() == 2);
}

TEST_CASE("latency: what has no parts is not known") {
  auto unexplained = std::make_shared<Evaluation>();
  unexplained->latency_total2 = 35;
  const VegaTables tables = latency_tables({unexplained});
  CHECK(tables["results"][0]["limited_by"] == "not known");
  CHECK(cycles_of(tables, 0, "unknown") == 35);
  CHECK(latency_tables({})["latency"].empty());
}
