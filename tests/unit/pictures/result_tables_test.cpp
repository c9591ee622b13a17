#include "plugins/pictures/result_tables.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace zz::core;
using namespace zz::plugins;

namespace {

std::shared_ptr<Evaluation> of_layer(std::int64_t id, const std::string& name) {
  auto accelerator = std::make_shared<Accelerator>();
  accelerator->memories.resize(2);
  accelerator->memories[0].name = "large";
  accelerator->memories[0].size = 800;
  accelerator->memories[1].name = "small";
  accelerator->memories[1].size = 80;
  auto layer = std::make_shared<Layer>();
  layer->id = id;
  layer->name = name;
  auto one = std::make_shared<Evaluation>();
  one->accelerator = accelerator;
  one->layer = layer;
  one->mac_energy = 2;
  one->energy_total = 10;
  one->operands = {{"O", {{"large", 0, {}, {5, 0, 0, 3}, 8}, {"small", 0, {}, {}, 0}}}};
  one->ideal_cycle = 10;
  one->ideal_temporal_cycle = 14;
  one->latency_total0 = 20;
  one->latency_total1 = 27;
  one->latency_total2 = 35;
  return one;
}

}  // namespace

TEST_CASE("results have the names of their layers, and what tells them apart comes first") {
  const ResultList results{of_layer(1, "a/b/c"), of_layer(1, "x/b/c"), of_layer(2, "/conv"),
                           of_layer(2, "/conv"), std::make_shared<Evaluation>()};
  CHECK(result_names(results) ==
        std::vector<std::string>{"1: a/b/c", "1: x/b/c", "2 #1: /conv", "2 #2: /conv", "sum of 0 layers"});
  const auto elsewhere = std::make_shared<Evaluation>(*of_layer(2, "/conv"));
  auto chip = std::make_shared<Accelerator>(*elsewhere->accelerator);
  chip->name = "other";
  elsewhere->accelerator = chip;
  CHECK(result_names({of_layer(1, "a"), elsewhere, of_layer(2, "/conv")}).at(1) == "2, other: /conv");
}

TEST_CASE("energy: bars by size, rows without zeros") {
  VegaTables tables = energy_tables({of_layer(1, "conv")});
  REQUIRE(tables["bars"].size() == 3);
  CHECK(tables["bars"][0]["bar"] == "MAC");
  CHECK(tables["bars"][1]["bar"] == "small");
  CHECK(tables["bars"][2]["size"] == "100 B");
  REQUIRE(tables["energy"].size() == 3);
  CHECK(tables["energy"][2]["direction"] == "wr_in_by_high");
  double total = 0;
  for (const auto& row : tables["energy"]) total += row["energy"].get<double>();
  CHECK(total == 10);
}

TEST_CASE("energy: what is stored beside data has rows of its own, which add up to the same") {
  const std::shared_ptr<Evaluation> one = of_layer(1, "conv");
  one->energy_parts = {{"large", "O", "rd_out_to_low", "metadata", 2}};
  const auto rows = energy_tables({one})["energy"];
  REQUIRE(rows.size() == 4);
  CHECK(rows[1]["energy"] == 3);
  CHECK(!rows[1].contains("beside"));
  CHECK(rows[2]["energy"] == 2);
  CHECK(rows[2]["direction"] == rows[1]["direction"]);
  CHECK(rows[2]["beside"] == "metadata");
}

TEST_CASE("energy: a sum has rows for scales and for metadata where there are both") {
  const std::shared_ptr<Evaluation> one = of_layer(1, "conv");
  one->layer = nullptr;
  one->energy_parts = {{"large", "O", "rd_out_to_low", "scales", 1},
                       {"large", "O", "rd_out_to_low", "metadata", 1.5},
                       {"large", "O", "rd_out_to_low", "once", 2.5},
                       {"large", "O", "rd_out_to_low", "scales", 0.5}};
  const auto rows = energy_tables({one})["energy"];
  REQUIRE(rows.size() == 5);
  CHECK(rows[1]["energy"] == 2);
  CHECK(!rows[1].contains("beside"));
  CHECK(rows[2]["energy"] == 1.5);
  CHECK(rows[2]["beside"] == "scales");
  CHECK(rows[3]["energy"] == 1.5);
  CHECK(rows[3]["beside"] == "metadata");
}

TEST_CASE("nothing at all can be drawn, too") { CHECK(energy_tables({})["bars"].size() == 1); }
