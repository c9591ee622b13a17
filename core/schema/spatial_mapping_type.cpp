#include "core/schema/types.hpp"
#include "core/value/object.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

constexpr Field unrolled_loop_fields[] = {
    required_field<&UnrolledLoop::dimension>("dimension", "", "Loop dimension."),
    required_field<&UnrolledLoop::factor>("factor", "",
                                          "Units that it occupies; an average, so it may be fractional.")};
FieldIndex unrolled_loop_index;
constexpr Type unrolled_loop_type = object_type<UnrolledLoop>(
    "unrolled_loop", "A loop unrolled in space.", unrolled_loop_fields, unrolled_loop_index, "dimension");

constexpr Field operand_spatial_mapping_fields[] = {
    required_field<&OperandSpatialMapping::operand>("operand", "", "Operand of the layer."),
    required_field<&OperandSpatialMapping::levels>(
        "levels", "",
        "Loops unrolled below the lowest memory, between the memories, and above the topmost.")};
FieldIndex operand_spatial_mapping_index;
constexpr Type operand_spatial_mapping_type = object_type<OperandSpatialMapping>(
    "operand_spatial_mapping", "The unrolling of one operand, by level.", operand_spatial_mapping_fields,
    operand_spatial_mapping_index, "operand");

constexpr Field spatial_mapping_fields[] = {
    required_field<&SpatialMapping::operands>("operands", "", "By operand, in the order of the equation.")};
FieldIndex spatial_mapping_index;

void validate_spatial_mapping(const void* object) {
  for (const OperandSpatialMapping& operand : static_cast<const SpatialMapping*>(object)->operands)
    for (std::size_t level = 0; level < operand.levels.size(); ++level)
      for (const UnrolledLoop& loop : operand.levels[level])
        if (!(loop.factor > 0))
          throw ValueError(ValueError::Problem::invalid,
                           "spatial_mapping.operands[" + operand.operand + "].levels[" +
                               std::to_string(level) + "][" + loop.dimension +
                               "].factor: must be positive, is " + to_json(reflect(loop.factor)));
}

constexpr Type spatial_mapping_type = object_type<SpatialMapping>(
    "spatial_mapping", "How a layer is unrolled over an accelerator.", spatial_mapping_fields,
    spatial_mapping_index, "", validate_spatial_mapping);

}  // namespace

template <>
const Type* type_of<UnrolledLoop>() {
  return &unrolled_loop_type;
}
template <>
const Type* type_of<OperandSpatialMapping>() {
  return &operand_spatial_mapping_type;
}
template <>
const Type* type_of<SpatialMapping>() {
  return &spatial_mapping_type;
}

}  // namespace zz::core
