#include "core/output/json/evaluation_json.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "core/base/json_text.hpp"
#include "core/output/json/input_json.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

/// By operand a list with what `part` gives for each of its memory levels.
template <class Part>
Json per_level(const Evaluation& evaluation, Part part) {
  Json operands = Json::object();
  for (const OperandCost& operand : evaluation.operands) {
    Json& levels = operands[operand.operand] = Json::array();
    for (const LevelCost& level : operand.levels) levels.push_back(part(level));
  }
  return operands;
}

template <class Number>
Json by_direction(const std::array<Number, direction_count>& numbers) {
  Json json = Json::object();
  for (int direction = 0; direction < direction_count; ++direction)
    json[direction_names[direction]] = numbers[direction];
  return json;
}

// The blocks of in-memory computing have ZigZag's keys, a colon in one of them included.

Json imc_parts_json(const ImcParts& parts) {
  return {{"cells", parts.cells},
          {"dacs", parts.dacs},
          {"adcs", parts.adcs},
          {"mults", parts.mults},
          {"adders_regular", parts.adders_regular},
          {"adders_pv", parts.adders_pv},
          {"accumulators", parts.accumulators}};
}

Json imc_energy_json(const ImcEnergy& energy) {
  return {{"local_bl_precharging", energy.local_bl_precharging},
          {"dacs", energy.dacs},
          {"adcs", energy.adcs},
          {"mults", energy.mults},
          {"analog_bl_addition", energy.analog_bl_addition},
          {"adders_regular", energy.adders_regular},
          {"adders_pv", energy.adders_pv},
          {"accumulators", energy.accumulators}};
}

Json imc_clock_json(const ImcFigures& figures) {
  return {{"tclk (ns)", figures.tclk()}, {"tclk_breakdown (ns)", imc_parts_json(figures.clock)}};
}

Json imc_area_json(const ImcFigures& figures) {
  Json memories = Json::object();
  for (const auto& [memory, area] : figures.memory_areas) memories[memory] = area;
  return {{"total_area", figures.area_total()},
          {"total_area_breakdown:", {{"imc_area", figures.imc_area()}, {"mem_area", figures.mem_area()}}},
          {"total_area_breakdown_further",
           {{"imc_area_breakdown", imc_parts_json(figures.area)}, {"mem_area_breakdown", memories}}}};
}

Json memory_json(const Evaluation& evaluation) {
  Json json{{"utilization", nullptr}};
  if (!evaluation.is_sum())
    json["utilization"] = per_level(evaluation, [](const LevelCost& level) { return level.utilization; });
  json["word_accesses"] =
      per_level(evaluation, [](const LevelCost& level) { return by_direction(level.accesses); });
  return json;
}

Json energy_json(const Evaluation& evaluation) {
  Json json{{"energy_total", evaluation.energy_total}, {"operational_energy", evaluation.mac_energy}};
  if (evaluation.imc) json["operational_energy_breakdown"] = imc_energy_json(evaluation.imc->energy);
  json["memory_energy"] = evaluation.mem_energy;
  json["memory_energy_breakdown_per_level"] =
      per_level(evaluation, [](const LevelCost& level) { return level.energy; });
  json["memory_energy_breakdown_per_level_per_operand"] =
      per_level(evaluation, [](const LevelCost& level) { return by_direction(level.energy_by_direction); });
  return json;
}

Json latency_json(const Evaluation& evaluation) {
  Json json{{"data_onloading", evaluation.latency_total1 - evaluation.latency_total0},
            {"computation", evaluation.latency_total0},
            {"data_offloading", evaluation.latency_total2 - evaluation.latency_total1}};
  if (evaluation.systolic_drain_cycle != 0) json["systolic_drain"] = evaluation.systolic_drain_cycle;
  if (evaluation.imc)
    json["computation_breakdown"] = {
        {"mac_computation", evaluation.ideal_temporal_cycle},
        {"memory_stalling", evaluation.latency_total0 - evaluation.ideal_temporal_cycle}};
  return json;
}

Json utilization_json(const Evaluation& evaluation) {
  return {{"ideal", evaluation.mac_spatial_utilization()},
          {"stalls", evaluation.mac_utilization0()},
          {"stalls_onloading", evaluation.mac_utilization1()},
          {"stalls_onloading_offloading", evaluation.mac_utilization2()}};
}

void add_metrics(Json& json, const Evaluation& evaluation) {
  for (const auto& [name, figure] : evaluation.metrics) json["metrics"][name] = figure;
}

Json outputs_json(const Evaluation& evaluation) {
  Json json{{"memory", memory_json(evaluation)},
            {"energy", energy_json(evaluation)},
            {"latency", latency_json(evaluation)}};
  if (evaluation.imc) {
    json["clock"] = imc_clock_json(*evaluation.imc);
    json["area (mm^2)"] = imc_area_json(*evaluation.imc);
  }
  json["spatial"] = {{"mac_utilization", utilization_json(evaluation)}};
  add_metrics(json, evaluation);
  return json;
}

Json inputs_json(const Evaluation& evaluation) {
  Json json{{"accelerator", nullptr},
            {"layer", evaluation.layer_ids},
            {"spatial_mapping", nullptr},
            {"temporal_mapping", nullptr}};
  if (evaluation.accelerator) json["accelerator"] = accelerator_json(*evaluation.accelerator);
  if (evaluation.layer) json["layer"] = layer_json(*evaluation.layer);
  if (evaluation.layer && evaluation.spatial_mapping_int)
    json["spatial_mapping"] = spatial_mapping_json(*evaluation.spatial_mapping_int, *evaluation.layer);
  if (evaluation.temporal_mapping)
    json["temporal_mapping"] = temporal_mapping_json(*evaluation.temporal_mapping);
  return json;
}

}  // namespace

std::string complete_json(const Evaluation& evaluation) {
  const Json json{{"outputs", outputs_json(evaluation)}, {"inputs", inputs_json(evaluation)}};
  return json_text(json) + "\n";
}

std::string simple_json(const Evaluation& evaluation) {
  Json json{{"energy", evaluation.energy_total}, {"latency", evaluation.latency_total2}};
  if (evaluation.imc) {
    json["tclk (ns)"] = evaluation.imc->tclk();
    json["area"] = evaluation.imc->area_total();
  }
  add_metrics(json, evaluation);
  return json_text(json) + "\n";
}

}  // namespace zz::core
