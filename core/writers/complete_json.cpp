#include "core/writers/complete_json.hpp"

#include <nlohmann/json.hpp>

#include "core/writers/accelerator_json.hpp"
#include "core/writers/imc_json.hpp"
#include "core/writers/json_text.hpp"
#include "core/writers/layer_json.hpp"
#include "core/writers/mapping_json.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

/// A map from operand to a list with what `part` gives for each of its memory levels.
template <class Part>
Json per_level(const Evaluation& evaluation, Part part) {
  Json map = Json::object();
  for (const OperandCost& operand : evaluation.operands) {
    Json& levels = map[operand.operand] = Json::array();
    for (const LevelCost& level : operand.levels) levels.push_back(part(level));
  }
  return map;
}

template <class Number>
Json by_direction(const std::array<Number, direction_count>& numbers) {
  Json map = Json::object();
  for (int direction = 0; direction < direction_count; ++direction)
    map[direction_names[direction]] = numbers[direction];
  return map;
}

Json memory(const Evaluation& evaluation) {
  Json tree;
  tree["utilization"] =
      evaluation.is_sum() ? Json()
                          : per_level(evaluation, [](const LevelCost& level) { return level.utilization; });
  tree["word_accesses"] =
      per_level(evaluation, [](const LevelCost& level) { return by_direction(level.accesses); });
  return tree;
}

Json energy(const Evaluation& evaluation) {
  Json tree;
  tree["energy_total"] = evaluation.energy_total;
  tree["operational_energy"] = evaluation.mac_energy;
  if (evaluation.imc) tree["operational_energy_breakdown"] = imc_energy_json(evaluation.imc->energy);
  tree["memory_energy"] = evaluation.mem_energy;
  tree["memory_energy_breakdown_per_level"] =
      per_level(evaluation, [](const LevelCost& level) { return level.energy; });
  tree["memory_energy_breakdown_per_level_per_operand"] =
      per_level(evaluation, [](const LevelCost& level) { return by_direction(level.energy_by_direction); });
  return tree;
}

Json latency(const Evaluation& evaluation) {
  Json tree;
  tree["data_onloading"] = evaluation.latency_total1 - evaluation.latency_total0;
  tree["computation"] = evaluation.latency_total0;
  tree["data_offloading"] = evaluation.latency_total2 - evaluation.latency_total1;
  if (evaluation.imc) {
    Json& computation = tree["computation_breakdown"];
    computation["mac_computation"] = evaluation.ideal_temporal_cycle;
    computation["memory_stalling"] = evaluation.latency_total0 - evaluation.ideal_temporal_cycle;
  }
  return tree;
}

Json spatial(const Evaluation& evaluation) {
  Json tree;
  Json& utilization = tree["mac_utilization"];
  utilization["ideal"] = evaluation.mac_spatial_utilization();
  utilization["stalls"] = evaluation.mac_utilization0();
  utilization["stalls_onloading"] = evaluation.mac_utilization1();
  utilization["stalls_onloading_offloading"] = evaluation.mac_utilization2();
  return tree;
}

Json outputs(const Evaluation& evaluation) {
  Json tree;
  tree["memory"] = memory(evaluation);
  tree["energy"] = energy(evaluation);
  tree["latency"] = latency(evaluation);
  if (evaluation.imc) {
    tree["clock"] = imc_clock_json(*evaluation.imc);
    tree["area (mm^2)"] = imc_area_json(*evaluation.imc);
  }
  tree["spatial"] = spatial(evaluation);
  for (const auto& [name, figure] : evaluation.metrics) tree["metrics"][name] = figure;
  return tree;
}

Json inputs(const Evaluation& evaluation) {
  Json tree;
  tree["accelerator"] = evaluation.accelerator ? accelerator_json(*evaluation.accelerator) : Json();
  tree["layer"] = evaluation.layer ? layer_json(*evaluation.layer) : Json(evaluation.layer_ids);
  tree["spatial_mapping"] = evaluation.layer && evaluation.spatial_mapping_int
                                ? spatial_mapping_json(*evaluation.spatial_mapping_int, *evaluation.layer)
                                : Json();
  tree["temporal_mapping"] =
      evaluation.temporal_mapping ? temporal_mapping_json(*evaluation.temporal_mapping) : Json();
  return tree;
}

}  // namespace

std::string complete_json(const Evaluation& evaluation) {
  Json tree;
  tree["outputs"] = outputs(evaluation);
  tree["inputs"] = inputs(evaluation);
  return json_text(tree);
}

}  // namespace zz::core
