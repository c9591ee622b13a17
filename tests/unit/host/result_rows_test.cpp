#include "host/report/result_rows.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/multicore/schedule/schedule.hpp"
#include "core/schema/types.hpp"
#include "tests/unit/worlds/evaluations.hpp"
#include "tests/unit/worlds/schedules.hpp"

using namespace zz;

namespace {

using core::Value;

Value as_value(const core::Evaluation& evaluation) {
  return Value::object(std::make_shared<const core::Evaluation>(evaluation));
}

core::Evaluation layer_named(const std::string& name, double energy) {
  core::Evaluation evaluation = *test::evaluation();
  core::Layer layer = *evaluation.layer;
  layer.name = name;
  evaluation.layer = std::make_shared<const core::Layer>(layer);
  evaluation.energy_total = energy;
  return evaluation;
}

/// Results as SumStage hands them up: their sum, and [evaluation, extra] of each.
std::pair<Value, Value> sum_of(const std::vector<core::Evaluation>& parts, std::vector<Value> extras = {}) {
  core::Evaluation sum;
  std::vector<Value> pairs;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sum = core::add(sum, parts[i]);
    pairs.push_back(Value::list({as_value(parts[i]), i < extras.size() ? extras[i] : Value()}));
  }
  return {as_value(sum), Value::list(std::move(pairs))};
}

std::vector<std::string> names_of(const host::ResultRows& rows) {
  std::vector<std::string> names;
  for (const host::ResultRow& row : rows.layers) names.push_back(row.layer);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("result rows: a sum within a sum gives its layers, and one total") {
  const auto [inner, its_layers] = sum_of({layer_named("a", 3), layer_named("b", 4)});
  const auto [whole, extra] =
      sum_of({*inner.as<core::Evaluation>(), layer_named("c", 5)}, {its_layers, Value()});
  const host::ResultRows rows = host::rows_of(whole, extra);
  CHECK(names_of(rows) == Names{"a", "b", "c"});
  REQUIRE(rows.total.has_value());
  CHECK(rows.total->energy == 12);
  CHECK(rows.total->layer == "total");
}

TEST_CASE("result rows: evaluations in a list need no extra, and layers of one name are counted") {
  const Value two = Value::list({as_value(layer_named("a", 3)), as_value(layer_named("a", 4))});
  const host::ResultRows rows = host::rows_of(two, Value());
  CHECK(names_of(rows) == Names{"a", "a"});
  CHECK(rows.layers[1].nth == 1);
  CHECK(rows.find(rows.layers[1])->energy == 4);
  CHECK_FALSE(rows.total.has_value());
}

TEST_CASE("result rows: JSON of a result reads back as its figures") {
  core::Evaluation layer = layer_named("a", 3);
  layer.metrics = {{"energy_low", 2}, {"energy_high", 7}};
  host::ResultRows rows = host::rows_of(as_value(layer), Value());
  rows.settings = {{"limit", "4"}, {"who", "\"x\""}};
  const auto json = host::rows_json(rows);
  CHECK(json["layers"][0]["metrics"]["energy_high"] == 7);
  const host::ResultRows again = host::rows_from_json(json);
  CHECK(again.settings == rows.settings);
  REQUIRE(again.layers.size() == 1);
  CHECK(again.layers[0].layer == "a");
  CHECK(again.layers[0].energy == 3);
  CHECK(again.layers[0].latency == 16);
  CHECK(again.layers[0].energy_range == core::EnergyRange{2, 7});
  CHECK_FALSE(again.total.has_value());
}

TEST_CASE("result rows: layers take the place of schedules, all of them") {
  const core::Evaluation schedule = core::schedule_evaluation(test::small_schedule());
  const host::ResultRows alone = host::rows_of(as_value(schedule), Value());
  REQUIRE(alone.layers.size() == 1);
  const host::ResultRows opened = host::in_layers(alone);
  const std::size_t layers = schedule.schedule->graph->layers.size();
  REQUIRE(opened.layers.size() == layers);
  REQUIRE(opened.total.has_value());
  CHECK(opened.total->latency == schedule.latency_total2);

  const auto [whole, extra] = sum_of({schedule, schedule, layer_named("a", 3)});
  const host::ResultRows several = host::in_layers(host::rows_of(whole, extra));
  CHECK(several.layers.size() == 2 * layers + 1);
  CHECK(several.layers[layers].nth == 1);
  CHECK(several.total->energy == 2 * schedule.energy_total + 3);
}
