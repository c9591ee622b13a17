#include "core/writers/layer_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/writers/mapping_json.hpp"

namespace zz::core {

using Json = nlohmann::ordered_json;

Json layer_json(const Layer& layer) {
  Json tree;
  tree["name"] = layer.name;
  tree["type"] = layer.type;
  tree["equation"] = layer.equation;
  Json& relations = tree["equation_relations"] = Json::array();
  for (const DimensionRelation& relation : layer.relations)
    relations.push_back(fmt::format("{} = {}*{} + {}*{}", relation.data, relation.stride,
                                    relation.output_loop, relation.dilation, relation.filter_loop));
  Json& loops = tree["loop_dimensions"] = Json::object();
  for (const LoopDimension& loop : layer.loops) loops[loop.name] = loop.size;
  Json& precisions = tree["operand_precision"] = Json::object();
  for (const LayerOperand& operand : layer.operands) precisions[operand.name] = operand.precision;
  precisions["O_final"] = layer.final_output_precision;
  tree["user_spatial_mapping"] = unrolling_json(layer.mapping.spatial_mapping);
  Json& links = tree["memory_operand_links"] = Json::object();
  for (const MemoryOperandLink& link : layer.mapping.links) links[link.layer_operand] = link.memory_operand;
  return tree;
}

}  // namespace zz::core
