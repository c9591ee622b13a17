#include "core/output/json/evaluation_json.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/json_text.hpp"
#include "core/compat/python_set_order.hpp"
#include "core/cost/cost_parts.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/output/json/number_type_json.hpp"
#include "core/search/optimal/machine_limit.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {
namespace {

// The evaluated parts. The keys and the order of the entries are ZigZag's.

using Json = nlohmann::ordered_json;

std::string memory_text(const Memory& memory) {
  const auto served = python_set_order(memory.served_dimensions, NameClass::array_dimension);
  return fmt::format(
      "MemoryLevel(instance={},operands=[{}], served_dimensions={})", memory.name,
      fmt::join(memory.operands, ", "),
      served.empty() ? std::string("set()") : fmt::format("{{{}}}", fmt::join(served, ", ")));
}

Json fold_json(const ArrayFold& fold) {
  const auto units = [](FoldUnits count) {
    return count == FoldUnits::none ? "none" : count == FoldUnits::used ? "used" : "whole";
  };
  return {{"operand", fold.operand},
          {"fill", units(fold.fill)},
          {"drain", units(fold.drain)},
          {"preload", fold.preload.empty() ? "none" : fold.preload},
          {"overlapped", fold.overlapped}};
}

Json instruction_json(const ArrayInstruction& instruction) {
  return {{"operand", instruction.operand},
          {"along", instruction.along},
          {"rows", instruction.rows},
          {"min_cycles", instruction.min_cycles},
          {"reload_cycles", instruction.reload_cycles},
          {"interval", instruction.interval}};
}

Json array_json(const OperationalArray& array) {
  Json dimensions = Json::object();
  for (const ArrayDimension& dimension : array.dimensions) dimensions[dimension.name] = dimension.size;
  if (array.imc) return {{"operational_unit: ImcArray, dimensions", dimensions}};
  Json json{{"operational_unit", {{"energy_cost", array.unit_energy}, {"area", array.unit_area}}},
            {"dimensions", dimensions}};
  if (!array.systolic_dimensions.empty()) {
    std::vector<std::string> sorted = array.systolic_dimensions;
    std::sort(sorted.begin(), sorted.end());
    json["systolic_dimensions"] = sorted;
  }
  if (array.efficiency != 1) json["efficiency"] = array.efficiency;
  for (const OperandOnZero& one : array.on_zero)
    json["on_zero"][one.operand] = on_zero_words[static_cast<std::size_t>(one.does)];
  if (!array.on_zero.empty()) json["skip_together"] = array.skip_together;
  if (array.fold) json["fold"] = fold_json(*array.fold);
  if (array.instruction) json["instruction"] = instruction_json(*array.instruction);
  return json;
}

/// {"D1": {"K": 32}, ...}. A loop that is unrolled twice along one dimension is one key, with the latter
/// factor.
Json unrolling_json(const SpatialUnrolling& unrolling) {
  Json dimensions = Json::object();
  for (const ArrayUnrolling& dimension : unrolling.dimensions) {
    Json& loops = dimensions[dimension.array_dimension] = Json::object();
    for (const SpatialLoop& loop : dimension.loops) loops[loop.dimension] = loop.factor;
  }
  return dimensions;
}

/// By memory operand a list with what `part` gives for each of its memories.
template <class Part>
Json per_memory_operand(const MemoryHierarchy& hierarchy, Part part) {
  Json operands = Json::object();
  for (std::size_t operand = 0; operand < hierarchy.operands.size(); ++operand) {
    Json& memories = operands[hierarchy.operands[operand]] = Json::array();
    for (const int memory : hierarchy.levels[operand]) memories.push_back(part(memory));
  }
  return operands;
}

Json sharing_json(const MemoryHierarchy& hierarchy) {
  Json list = Json::array();
  for (const auto& shared : hierarchy.shared) {
    Json& levels = list.emplace_back(Json::object());
    for (const auto& [operand, level] : shared) levels[hierarchy.operands[operand]] = level;
  }
  return list;
}

Json levels_json(const OperandSpatialMapping& operand) {
  Json levels = Json::array();
  for (const auto& loops : operand.levels) {
    Json& level = levels.emplace_back(Json::array());
    for (const UnrolledLoop& loop : loops)
      level.push_back(fmt::format("({}, {})", loop.dimension, loop.factor));
  }
  return levels;
}

/// The array, the memories in the order of the file, and by memory operand its memories and their sizes
/// (bits) from the lowest upwards.
Json accelerator_json(const Accelerator& accelerator) {
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  Json memories = Json::array();
  for (const Memory& memory : accelerator.memories) memories.push_back(memory_text(memory));
  const auto text = [&](int memory) -> const Json& { return memories[static_cast<std::size_t>(memory)]; };
  const auto size = [&](int memory) { return accelerator.memories[memory].size; };
  Json json{{"id", 1},
            {"name", accelerator.name},
            {"operational_array", array_json(accelerator.array)},
            {"memory_hierarchy", memories},
            {"mem_hierarchy_dict", per_memory_operand(hierarchy, text)},
            {"dataflows", nullptr},
            {"mem_size_dict", per_memory_operand(hierarchy, size)}};
  if (!accelerator.dataflows.dimensions.empty()) json["dataflows"] = unrolling_json(accelerator.dataflows);
  // Always empty in ZigZag's files; kept for programs that read them.
  for (const char* key : {"mem_r_bw_dict", "mem_w_bw_dict", "mem_r_bw_min_dict", "mem_w_bw_min_dict"})
    json[key] = Json::object();
  json["mem_sharing_list"] = sharing_json(hierarchy);
  return json;
}

/// Equation, relations, loops, precisions (bits), the unrolling that was used, and which memory operand
/// serves which operand of the layer.
Json layer_json(const Layer& layer) {
  Json relations = Json::array(), loops = Json::object(), precisions = Json::object(),
       memory_operands = Json::object();
  for (const DimensionRelation& relation : layer.relations)
    relations.push_back(fmt::format("{} = {}*{} + {}*{}", relation.data, relation.stride,
                                    relation.output_loop, relation.dilation, relation.filter_loop));
  for (const LoopDimension& loop : layer.loops) loops[loop.name] = loop.size;
  for (const LayerOperand& operand : layer.operands)
    precisions[operand.name] = number_type_json({operand.precision, operand.scale});
  precisions["O_final"] = number_type_json({layer.final_output_precision, layer.final_output_scale});
  for (const OperandAssignment& one : layer.mapping.memory_operands)
    memory_operands[one.layer_operand] = one.memory_operand;
  return {{"name", layer.name},
          {"type", layer.type},
          {"equation", layer.equation},
          {"equation_relations", relations},
          {"loop_dimensions", loops},
          {"operand_precision", precisions},
          {"user_spatial_mapping", unrolling_json(layer.mapping.spatial_mapping)},
          {"memory_operand_links", memory_operands}};
}

/// By operand, in the order of the layer's memory links, and by level the unrolled loops as "(K, 32)".
Json spatial_mapping_json(const SpatialMapping& mapping, const Layer& layer) {
  Json operands = Json::object();
  for (const OperandAssignment& assignment : layer.mapping.memory_operands) {
    const auto operand =
        std::find_if(mapping.operands.begin(), mapping.operands.end(),
                     [&](const auto& one) { return one.operand == assignment.layer_operand; });
    if (operand != mapping.operands.end()) operands[operand->operand] = levels_json(*operand);
  }
  for (const OperandSpatialMapping& operand : mapping.operands)
    if (!operands.contains(operand.operand)) operands[operand.operand] = levels_json(operand);
  return operands;
}

/// By operand and memory level the loops as "(K, 4)", innermost first, in the form that the cost model
/// uses.
Json temporal_mapping_json(const TemporalMapping& mapping) {
  Json operands = Json::object();
  for (const OperandTemporalMapping& operand : mapping.operands) {
    Json& levels = operands[operand.operand] = Json::array();
    int first = 0;
    for (const int cut : operand.stationary) {
      Json& level = levels.emplace_back(Json::array());
      for (int i = first; i < cut; ++i) {
        const TemporalLoop& loop = mapping.loops.at(i);
        level.push_back(fmt::format("({}, {})", loop.dimension, loop.size));
      }
      first = cut;
    }
  }
  return operands;
}

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

/// The figures that figures.def puts into this block, if they are not 0.
void add_figures(Json& json, std::string_view block, const Evaluation& evaluation) {
  for (const Figure& figure : evaluation_figures) {
    const double value = evaluation.*figure.member;
    if (value != 0 && figure.json.size() > block.size() && figure.json.starts_with(block) &&
        figure.json[block.size()] == '.')
      json[std::string(figure.json.substr(block.size() + 1))] = value;
  }
}

Json energy_json(const Evaluation& evaluation) {
  Json json{{"energy_total", evaluation.energy_total}, {"operational_energy", evaluation.mac_energy}};
  if (evaluation.imc) json["operational_energy_breakdown"] = imc_energy_json(evaluation.imc->energy);
  json["memory_energy"] = evaluation.mem_energy;
  json["memory_energy_breakdown_per_level"] =
      per_level(evaluation, [](const LevelCost& level) { return level.energy; });
  json["memory_energy_breakdown_per_level_per_operand"] =
      per_level(evaluation, [](const LevelCost& level) { return by_direction(level.energy_by_direction); });
  add_figures(json, "energy", evaluation);
  return json;
}

Json latency_json(const Evaluation& evaluation) {
  Json json{{"data_onloading", evaluation.latency_total1 - evaluation.latency_total0},
            {"computation", evaluation.latency_total0},
            {"data_offloading", evaluation.latency_total2 - evaluation.latency_total1}};
  add_figures(json, "latency", evaluation);
  if (evaluation.array_stall() > 0) json["array"] = evaluation.array_cycle;
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
  for (const auto& [name, figure] : metrics_of(evaluation)) json["metrics"][name] = figure;
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

/// `home` and `place` are the names that exchange_memory and role had.
Json fused_json(const GroupMember& fused) {
  Json shared = Json::array(), operands = Json::object();
  for (const TemporalLoop& loop : fused.shared)
    shared.push_back(fmt::format("({}, {})", loop.dimension, loop.size));
  for (const MemberOperand& data : fused.operands) {
    Json& operand = operands[data.operand] = {{"role", data.role}, {"place", data.role}};
    if (data.role == "brought") continue;
    operand["depth"] = data.depth;
    operand["exchange_memory"] = operand["home"] = data.exchange_memory;
  }
  return {{"group", fused.group},          {"exchange_memory", fused.exchange_memory},
          {"home", fused.exchange_memory}, {"shared", shared},
          {"with_next", fused.with_next},  {"operands", operands}};
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
  if (evaluation.fused) json["fused"] = fused_json(*evaluation.fused);
  return json;
}

}  // namespace

std::string complete_json(const Evaluation& evaluation) {
  Json json{{"outputs", outputs_json(evaluation)}, {"inputs", inputs_json(evaluation)}};
  if (evaluation.is_sum()) return json_text(json) + "\n";
  const MachineLimit limit = machine_limit(evaluation);
  const std::string limiter = limit.known() ? limit.floors.front().limiter : limited_by(evaluation);
  if (!limiter.empty())
    json["row"] = {{"layer_id", evaluation.layer != nullptr ? Json(evaluation.layer->id) : Json()},
                   {"limited_by", limiter}};
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
