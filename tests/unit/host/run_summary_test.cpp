#include "host/report/run_summary.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "host/base/run.hpp"
#include "tests/unit/worlds/evaluations.hpp"

using namespace zz;

namespace {

host::ResultRow row_of(const std::string& name, const char* type, double energy) {
  core::Layer layer;
  layer.name = name;
  layer.type = type;
  core::Evaluation evaluation;
  evaluation.layer = std::make_shared<const core::Layer>(layer);
  host::ResultRow row;
  row.layer = name;
  row.energy = energy;
  row.latency = 100;
  row.value = core::Value::object(std::make_shared<const core::Evaluation>(evaluation));
  return row;
}

/// A network of so many blocks of two layers, of which every second one costs more in the last block.
host::RunSummary summary_of(int blocks) {
  host::ResultRows result;
  for (int block = 0; block < blocks; ++block) {
    const std::string name = "block" + std::to_string(block);
    result.layers.push_back(row_of(name + "/query", "MatMul", 7));
    result.layers.push_back(row_of(name + "/scores", "Gemm", block + 1 < blocks ? 7 : 9));
  }
  result.total = row_of("total", "", 0);
  host::RunSummary summary;
  summary.results = {result};
  return summary;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("run summary: equal layers of a long table have one row, in JSON each its own") {
  host::Run run;
  const host::WorkingFor working(run);
  const std::string table = host::to_table(summary_of(21));
  CHECK(has(table, "block0/query (x 21)"));
  CHECK(has(table, "block0/scores (x 20)"));
  CHECK_FALSE(has(table, "block1/query"));
  CHECK(has(table, "block20/scores  "));
  CHECK(host::summary_json(summary_of(21))["results"][0]["layers"].size() == 42);
  const std::string shorter = host::to_table(summary_of(20));
  CHECK(has(shorter, "block1/query"));
  CHECK_FALSE(has(shorter, "(x "));
}

namespace {

/// Some results of one layer, as a list and as its parts: the first has several rows, and one is proven.
std::vector<core::Value> parts() {
  const auto cost = [](double energy, std::optional<double> gap) {
    core::Evaluation evaluation = *test::evaluation();
    evaluation.energy_total = energy;
    evaluation.certificate.gap = gap;
    evaluation.metrics = {{"orders_tried", energy}, {"orders_possible", 100}};
    return core::Value::object(std::make_shared<const core::Evaluation>(evaluation));
  };
  const core::Value inner = core::Value::list({core::Value::list({cost(1, {}), {}}), cost(2, 0.5)});
  return {core::Value::list({inner, {}}), core::Value::list({cost(3, 0.0), {}}),
          core::Value::list({cost(4, {}), {}})};
}

std::string printed(const host::JsonResults& documents) {
  std::string text;
  host::write_json({}, documents, 0, [&](const std::string& part) { text += part; });
  return text;
}

}  // namespace

TEST_CASE("run summary: a list that comes in parts is shown as one that comes whole") {
  host::Run run;
  const host::WorkingFor working(run);
  const core::Value list = core::Value::list(parts());
  core::MachineLimits limits;
  for (const bool accuracy : {false, true}) {
    host::JsonResults whole, in_parts;
    whole.add(host::rows_of(list, {}, limits), accuracy);
    in_parts.begin_list({});
    for (const core::Value& part : parts())
      in_parts.add_part(host::rows_of_part(core::held_part(part, core::part_at(part.ref(), 0)), {}, limits),
                        accuracy);
    CHECK(printed(in_parts) == printed(whole));
    CHECK(nlohmann::json::parse(printed(whole))["results"][0]["layers"].size() == 4);
    CHECK(has(printed(whole), "loop orders"));
    // Lists follow each other and other results, as those of several layers do; one that is not whole is
    // left out.
    for (host::JsonResults* const results : {&whole, &in_parts})
      results->add(host::rows_of(list, {}, limits), accuracy);
    whole.add(host::rows_of(list, {}, limits), accuracy);
    for (const bool is_whole : {true, false}) {
      in_parts.begin_list({});
      for (const core::Value& part : parts())
        in_parts.add_part(
            host::rows_of_part(core::held_part(part, core::part_at(part.ref(), 0)), {}, limits), accuracy);
      if (!is_whole) in_parts.drop_list();
      CHECK(printed(in_parts) == printed(whole));
    }
  }
  for (const std::uint64_t most : {1, 2, 3, 4, 10}) {
    CAPTURE(most);
    host::RunSummary whole, in_parts;
    host::show_result(whole, list, {}, most, limits);
    host::begin_list(in_parts, {});
    for (const core::Value& part : parts())
      host::show_part(in_parts, core::held_part(part, core::part_at(part.ref(), 0)), {}, most, limits);
    CHECK(in_parts.further_rows == whole.further_rows);
    CHECK(host::to_table(in_parts) == host::to_table(whole));
  }
}
