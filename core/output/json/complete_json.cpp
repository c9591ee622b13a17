#include "core/output/json/complete_json.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/output/json/accelerator_json.hpp"
#include "core/output/json/imc_json.hpp"
#include "core/output/json/json_writer.hpp"
#include "core/output/json/layer_json.hpp"
#include "core/output/json/mapping_json.hpp"
#include "core/output/json/metrics_json.hpp"

namespace zz::core {
namespace {

/// A map from operand to a list with what `write_part` writes for each of its memory levels.
template <class WritePart>
void write_per_level(JsonWriter& json, const Evaluation& evaluation, WritePart write_part) {
  json.map([&] {
    for (const OperandCost& operand : evaluation.operands) {
      json.list_entry(operand.operand, [&] {
        for (const LevelCost& level : operand.levels) write_part(level);
      });
    }
  });
}

constexpr auto direction_keys = [] {
  std::array<std::string_view, direction_count> keys;
  for (int direction = 0; direction < direction_count; ++direction)
    keys[direction] = direction_names[direction];
  return keys;
}();

template <class Number>
void write_by_direction(JsonWriter& json, const std::array<Number, direction_count>& numbers) {
  json.map([&] {
    for (int direction = 0; direction < direction_count; ++direction) {
      json.plain_key(direction_keys[direction]);
      json.value(numbers[direction]);
    }
  });
}

void write_memory(JsonWriter& json, const Evaluation& evaluation) {
  json.key("utilization");
  if (evaluation.is_sum())
    json.null();
  else
    write_per_level(json, evaluation, [&](const LevelCost& level) { json.value(level.utilization); });
  json.key("word_accesses");
  write_per_level(json, evaluation,
                  [&](const LevelCost& level) { write_by_direction(json, level.accesses); });
}

void write_energy(JsonWriter& json, const Evaluation& evaluation) {
  json.entry("energy_total", evaluation.energy_total);
  json.entry("operational_energy", evaluation.mac_energy);
  if (evaluation.imc) {
    json.key("operational_energy_breakdown");
    write_imc_energy(json, evaluation.imc->energy);
  }
  json.entry("memory_energy", evaluation.mem_energy);
  json.key("memory_energy_breakdown_per_level");
  write_per_level(json, evaluation, [&](const LevelCost& level) { json.value(level.energy); });
  json.key("memory_energy_breakdown_per_level_per_operand");
  write_per_level(json, evaluation,
                  [&](const LevelCost& level) { write_by_direction(json, level.energy_by_direction); });
}

void write_latency(JsonWriter& json, const Evaluation& evaluation) {
  json.entry("data_onloading", evaluation.latency_total1 - evaluation.latency_total0);
  json.entry("computation", evaluation.latency_total0);
  json.entry("data_offloading", evaluation.latency_total2 - evaluation.latency_total1);
  if (evaluation.imc) {
    json.map_entry("computation_breakdown", [&] {
      json.entry("mac_computation", evaluation.ideal_temporal_cycle);
      json.entry("memory_stalling", evaluation.latency_total0 - evaluation.ideal_temporal_cycle);
    });
  }
}

void write_spatial(JsonWriter& json, const Evaluation& evaluation) {
  json.map_entry("mac_utilization", [&] {
    json.entry("ideal", evaluation.mac_spatial_utilization());
    json.entry("stalls", evaluation.mac_utilization0());
    json.entry("stalls_onloading", evaluation.mac_utilization1());
    json.entry("stalls_onloading_offloading", evaluation.mac_utilization2());
  });
}

void write_outputs(JsonWriter& json, const Evaluation& evaluation) {
  json.map_entry("memory", [&] { write_memory(json, evaluation); });
  json.map_entry("energy", [&] { write_energy(json, evaluation); });
  json.map_entry("latency", [&] { write_latency(json, evaluation); });
  if (evaluation.imc) {
    json.key("clock");
    write_imc_clock(json, *evaluation.imc);
    json.key("area (mm^2)");
    write_imc_area(json, *evaluation.imc);
  }
  json.map_entry("spatial", [&] { write_spatial(json, evaluation); });
  write_metrics(json, evaluation);
}

constexpr std::size_t inputs_depth = 2;

/// The accelerator's part, which is the same in most files of a run.
const std::string& accelerator_text(const std::shared_ptr<const Accelerator>& accelerator) {
  thread_local std::weak_ptr<const Accelerator> latest;
  thread_local std::string text;
  if (latest.lock() == accelerator) return text;
  JsonWriter json(inputs_depth);
  write_accelerator(json, *accelerator);
  text = std::move(json).part();
  latest = accelerator;
  return text;
}

void write_inputs(JsonWriter& json, const Evaluation& evaluation) {
  json.key("accelerator");
  if (evaluation.accelerator)
    json.literal(accelerator_text(evaluation.accelerator));
  else
    json.null();
  json.key("layer");
  if (evaluation.layer) {
    write_layer(json, *evaluation.layer);
  } else {
    json.list([&] {
      for (const std::int64_t id : evaluation.layer_ids) json.value(id);
    });
  }
  json.key("spatial_mapping");
  if (evaluation.layer && evaluation.spatial_mapping_int)
    write_spatial_mapping(json, *evaluation.spatial_mapping_int, *evaluation.layer);
  else
    json.null();
  json.key("temporal_mapping");
  if (evaluation.temporal_mapping)
    write_temporal_mapping(json, *evaluation.temporal_mapping);
  else
    json.null();
}

}  // namespace

std::string_view complete_json_view(const Evaluation& evaluation) {
  thread_local JsonWriter json;
  json.clear();
  json.map([&] {
    json.map_entry("outputs", [&] { write_outputs(json, evaluation); });
    json.map_entry("inputs", [&] { write_inputs(json, evaluation); });
  });
  return json.finish();
}

std::string complete_json(const Evaluation& evaluation) {
  return std::string(complete_json_view(evaluation));
}

}  // namespace zz::core
