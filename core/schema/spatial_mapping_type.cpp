#include "core/schema/types.hpp"
#include "core/value/object.hpp"
#include "core/value/read.hpp"

namespace zz::core {
namespace {

constexpr Field loop_fields[] = {
    field<&UnrolledLoop::dimension>("dimension", "", "Loop dimension."),
    field<&UnrolledLoop::factor>("factor", "",
                                 "Units that it occupies; an average, so it may be fractional.")};
FieldIndex loop_index;
constexpr Type loop_type = object_type<UnrolledLoop>("unrolled_loop", "A loop unrolled in space.",
                                                     loop_fields, loop_index, "dimension");

constexpr Field operand_fields[] = {
    field<&OperandSpatialMapping::operand>("operand", "", "Operand of the layer."),
    field<&OperandSpatialMapping::levels>(
        "levels", "",
        "Loops unrolled below the lowest memory, between the memories, and above the topmost.")};
FieldIndex operand_index;
constexpr Type operand_type =
    object_type<OperandSpatialMapping>("operand_spatial_mapping", "The unrolling of one operand, by level.",
                                       operand_fields, operand_index, "operand");

constexpr Field mapping_fields[] = {
    field<&SpatialMapping::operands>("operands", "", "By operand, in the order of the equation.")};
FieldIndex mapping_index;

void validate_mapping(const void* object) {
  for (const OperandSpatialMapping& operand : static_cast<const SpatialMapping*>(object)->operands)
    for (std::size_t level = 0; level < operand.levels.size(); ++level)
      for (const UnrolledLoop& loop : operand.levels[level])
        if (!(loop.factor > 0))
          throw ValueError(ValueError::Problem::invalid,
                           "spatial_mapping.operands[" + operand.operand + "].levels[" +
                               std::to_string(level) + "][" + loop.dimension +
                               "].factor: must be positive, is " + to_json(reflect(loop.factor)));
}

constexpr Type mapping_type =
    object_type<SpatialMapping>("spatial_mapping", "How a layer is unrolled over an accelerator.",
                                mapping_fields, mapping_index, "", validate_mapping);

}  // namespace

template <>
const Type* type_of<UnrolledLoop>() {
  return &loop_type;
}
template <>
const Type* type_of<OperandSpatialMapping>() {
  return &operand_type;
}
template <>
const Type* type_of<SpatialMapping>() {
  return &mapping_type;
}

}  // namespace zz::core
