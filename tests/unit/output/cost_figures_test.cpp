#include "core/output/vega/cost_figures.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace zz::core;

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

nlohmann::json rows(const FigureTables& tables, const char* name) {
  return nlohmann::json::parse("[" + tables[name].rows.text() + "]");
}

}  // namespace

TEST_CASE("results have short names, no two alike") {
  const ResultList results{of_layer(1, "a/b/c"), of_layer(1, "x/b/c"), of_layer(2, "/conv"),
                           std::make_shared<Evaluation>()};
  CHECK(result_names(results) ==
        std::vector<std::string>{"1: b/c #1", "1: b/c #2", "2: /conv", "sum of 0 layers"});
}

TEST_CASE("energy: bars by size, rows without zeros") {
  const auto tables = energy_tables({of_layer(1, "conv")});
  REQUIRE(rows(tables, "bars").size() == 3);
  CHECK(rows(tables, "bars")[0]["bar"] == "MAC");
  CHECK(rows(tables, "bars")[1]["bar"] == "small");
  CHECK(rows(tables, "bars")[2]["size"] == "100 B");
  REQUIRE(rows(tables, "energy").size() == 3);
  CHECK(rows(tables, "energy")[2]["direction"] == "wr_in_by_high");
  double total = 0;
  for (const auto& row : rows(tables, "energy")) total += row["energy"].get<double>();
  CHECK(total == 10);
}

TEST_CASE("latency: the parts add up to the whole") {
  const auto tables = latency_tables({of_layer(1, "conv")});
  std::vector<double> cycles;
  for (const auto& row : rows(tables, "latency")) cycles.push_back(row["cycles"]);
  CHECK(cycles == std::vector<double>{10, 4, 6, 7, 8});
}

TEST_CASE("nothing at all can be drawn, too") {
  CHECK(energy_tables({})["bars"].row_count == 1);
  CHECK(latency_tables({})["latency"].row_count == 0);
}

TEST_CASE("a row is JSON whatever the names hold") {
  TextBuffer text;
  FigureRow(text)
      .add("text", "a\"b\n\xff")
      .add("number", 1e16)
      .add("none", std::nan(""))
      .add("many", std::vector<std::string>{"x", "y"})
      .add("counts", std::vector<int>{-1, 20})
      .add("truth", true)
      .add_named("a\"key", "a value");
  CHECK(text.view() ==
        "{\"text\":\"a\\\"b\\n\xef\xbf\xbd\",\"number\":1e+16,\"none\":null,"
        "\"many\":[\"x\",\"y\"],\"counts\":[-1,20],\"truth\":true,\"a\\\"key\":\"a value\"}");
  text.clear();
  FigureRow{text};
  CHECK(text.view() == "{}");
}
