#include "core/writers/mapping_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

Json unrolled_levels(const OperandSpatialMapping& operand) {
  Json levels = Json::array();
  for (const auto& loops : operand.levels) {
    Json& level = levels.emplace_back(Json::array());
    for (const UnrolledLoop& loop : loops)
      level.push_back(fmt::format("({}, {})", loop.dimension, loop.factor));
  }
  return levels;
}

}  // namespace

Json unrolling_json(const SpatialUnrolling& unrolling) {
  Json tree = Json::object();
  for (const ArrayUnrolling& dimension : unrolling.dimensions) {
    Json& loops = tree[dimension.array_dimension] = Json::object();
    for (const SpatialLoop& loop : dimension.loops) loops[loop.dimension] = loop.factor;
  }
  return tree;
}

Json spatial_mapping_json(const SpatialMapping& mapping, const Layer& layer) {
  Json tree = Json::object();
  const auto add = [&](const OperandSpatialMapping& operand) {
    tree[operand.operand] = unrolled_levels(operand);
  };
  for (const MemoryOperandLink& link : layer.mapping.links) {
    const auto operand = std::find_if(mapping.operands.begin(), mapping.operands.end(),
                                      [&](const auto& one) { return one.operand == link.layer_operand; });
    if (operand != mapping.operands.end()) add(*operand);
  }
  for (const OperandSpatialMapping& operand : mapping.operands)
    if (!tree.contains(operand.operand)) add(operand);
  return tree;
}

Json temporal_mapping_json(const TemporalMapping& mapping) {
  Json tree = Json::object();
  for (const OperandTemporalMapping& operand : mapping.operands) {
    Json& levels = tree[operand.operand] = Json::array();
    int first = 0;
    for (int cut : operand.stationary) {
      Json& level = levels.emplace_back(Json::array());
      for (int loop = first; loop < cut; ++loop)
        level.push_back(
            fmt::format("({}, {})", mapping.loops.at(loop).dimension, mapping.loops.at(loop).size));
      first = cut;
    }
  }
  return tree;
}

}  // namespace zz::core
