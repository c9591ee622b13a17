#include "core/output/json/input_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string>

#include "core/compat/python_set_order.hpp"
#include "core/hardware/memory_hierarchy.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

std::string memory_text(const Memory& memory) {
  const auto served = python_set_order(memory.served_dimensions, NameClass::array_dimension);
  return fmt::format(
      "MemoryLevel(instance={},operands=[{}], served_dimensions={})", memory.name,
      fmt::join(memory.operands, ", "),
      served.empty() ? std::string("set()") : fmt::format("{{{}}}", fmt::join(served, ", ")));
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

}  // namespace

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

Json layer_json(const Layer& layer) {
  Json relations = Json::array(), loops = Json::object(), precisions = Json::object(),
       memory_operands = Json::object();
  for (const DimensionRelation& relation : layer.relations)
    relations.push_back(fmt::format("{} = {}*{} + {}*{}", relation.data, relation.stride,
                                    relation.output_loop, relation.dilation, relation.filter_loop));
  for (const LoopDimension& loop : layer.loops) loops[loop.name] = loop.size;
  for (const LayerOperand& operand : layer.operands) precisions[operand.name] = operand.precision;
  precisions["O_final"] = layer.final_output_precision;
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

}  // namespace zz::core
