#include "core/output/json/layer_json.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include "core/output/json/mapping_json.hpp"

namespace zz::core {

void write_layer(JsonWriter& json, const Layer& layer) {
  json.map([&] {
    json.entry("name", layer.name);
    json.entry("type", layer.type);
    json.entry("equation", layer.equation);
    json.list_entry("equation_relations", [&] {
      for (const DimensionRelation& relation : layer.relations)
        json.value(fmt::format(FMT_COMPILE("{} = {}*{} + {}*{}"), relation.data, relation.stride,
                               relation.output_loop, relation.dilation, relation.filter_loop));
    });
    json.map_entry("loop_dimensions", [&] {
      for (const LoopDimension& loop : layer.loops) json.entry(loop.name, loop.size);
    });
    json.map_entry("operand_precision", [&] {
      for (const LayerOperand& operand : layer.operands) json.entry(operand.name, operand.precision);
      json.entry("O_final", layer.final_output_precision);
    });
    json.key("user_spatial_mapping");
    write_unrolling(json, layer.mapping.spatial_mapping);
    json.map_entry("memory_operand_links", [&] {
      for (const MemoryOperandLink& link : layer.mapping.links)
        json.entry(link.layer_operand, link.memory_operand);
    });
  });
}

}  // namespace zz::core
