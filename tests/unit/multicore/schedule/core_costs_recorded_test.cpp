#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/multicore/schedule/core_costs.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"
#include "tests/unit/worlds/searches.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz;
using nlohmann::json;

namespace {

bool agree(double found, const json& recorded) {
  const double wanted = recorded;
  return std::abs(found - wanted) <= 1e-9 * std::abs(wanted);
}

/// The loops of one operand by memory level, as recorded.
json loops_by_level(const core::TemporalMapping& mapping, const core::OperandTemporalMapping& operand) {
  json levels = json::array();
  int first = 0;
  for (const int cut : operand.stationary) {
    json loops = json::array();
    for (; first < cut; ++first)
      loops.push_back({mapping.loops[first].dimension, mapping.loops[first].size});
    levels.push_back(loops);
  }
  return levels;
}

/// The part of the recorded row that the cost does not meet; empty: none.
std::string difference(const core::CoreCost& cost, const json& row) {
  const core::Evaluation& found = *cost.evaluation;
  std::string text;
  const auto compare = [&](const char* key, double value, const json& recorded) {
    if (!agree(value, recorded))
      text += std::string(" ") + key + " " + std::to_string(value) + " not " + recorded.dump();
  };
  compare("energy_total", found.energy_total, row["energy_total"]);
  compare("mac_energy", found.mac_energy, row["mac_energy"]);
  compare("mem_energy", found.mem_energy, row["mem_energy"]);
  compare("onchip_energy", cost.onchip_energy, row["onchip_energy"]);
  compare("offchip_energy", cost.offchip_energy, row["offchip_energy"]);
  compare("latency_total0", found.latency_total0, row["latency_total0"]);
  compare("latency_total1", found.latency_total1, row["latency_total1"]);
  compare("latency_total2", found.latency_total2, row["latency_total2"]);
  compare("runtime", cost.runtime, row["latency_total1"]);
  compare("ideal_cycle", found.ideal_cycle, row["ideal_cycle"]);
  compare("ideal_temporal_cycle", found.ideal_temporal_cycle, row["ideal_temporal_cycle"]);
  compare("read bandwidth", cost.stream_read_elements, row["offchip_bw"]["rd_out_to_low"]);
  compare("write bandwidth", cost.stream_write_elements, row["offchip_bw"]["wr_in_by_low"]);
  json streamed = json::array();
  for (const int operand : cost.streamed) streamed.push_back(found.layer->memory_operand(operand));
  if (streamed != row["too_large_operands"]) text += " streams " + streamed.dump();
  for (const core::OperandCost& operand : found.operands) {
    const json& recorded = row["mem_energy_breakdown"][operand.operand];
    if (recorded.size() != operand.levels.size()) {
      text += " levels of " + operand.operand;
      continue;
    }
    for (std::size_t level = 0; level < recorded.size(); ++level)
      compare("memory energy", operand.levels[level].energy, recorded[level]);
  }
  for (const core::OperandTemporalMapping& operand : found.temporal_mapping->operands) {
    const json loops = loops_by_level(*found.temporal_mapping, operand);
    if (loops != row["temporal_mapping"][operand.operand])
      text += " loops of " + operand.operand + " " + loops.dump();
  }
  return text;
}

}  // namespace

TEST_CASE("every recorded cost of a node on a core is found again") {
  const std::vector<std::string> cases = test::recorded_case_names();
  if (cases.empty()) {
    MESSAGE("skipped: the recorded results of Stream are not beside the source tree");
    return;
  }
  std::size_t compared = 0;
  for (const std::string& name : cases) {
    CAPTURE(name);
    const test::RecordedCosts recorded(name);
    const core::CoreCostPlan plan(recorded.accelerator, recorded.graph, core::rules_of("stream-0.0.8"));
    std::vector<std::shared_ptr<const core::Evaluation>> answers;
    for (const core::CoreCostQuestion& question : plan.questions())
      answers.push_back(test::answer(question, recorded.factor_limit, true));
    const core::CoreCosts costs = plan.costs(answers);
    std::size_t rows = 0;
    for (const core::CoreCosts::OfLayer& layer : costs.layers) rows += layer.on.size();
    CHECK(rows == recorded.rows.size());
    for (const json& row : recorded.rows) {
      const int layer = recorded.graph->layer_index(row["layer_id"]);
      const core::CoreCost* cost = costs.find(layer, 0, row["core"]);
      REQUIRE(cost != nullptr);
      CHECK(cost->evaluation->layer->id == row["layer_id"].get<std::int64_t>());
      const std::string found = difference(*cost, row);
      CHECK_MESSAGE(found.empty(), "layer ", row["layer_id"].dump(), " on core ", row["core"].dump(),
                    found);
      ++compared;
    }
  }
  CHECK(compared > test::daily(500UL, 2000UL));
}
