#include "host/report/run_summary.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/schema/types.hpp"
#include "host/base/run.hpp"

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
