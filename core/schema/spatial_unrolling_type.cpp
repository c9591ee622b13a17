#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field loop_fields[] = {
    field<&SpatialLoop::dimension>("dimension", "", "Loop dimension, as K."),
    field<&SpatialLoop::factor>("factor", "", "How many units it is spread over.")};
FieldIndex loop_index;
constexpr Type loop_type =
    object_type<SpatialLoop>("spatial_loop", "A loop dimension spread over an array dimension.",
                             loop_fields, loop_index, "dimension");

constexpr Field dimension_fields[] = {
    field<&ArrayUnrolling::array_dimension>("array_dimension", "", "Dimension of the array, as D1."),
    field<&ArrayUnrolling::loops>("loops", "", "What is unrolled along it.")};
FieldIndex dimension_index;
constexpr Type dimension_type =
    object_type<ArrayUnrolling>("array_unrolling", "What is unrolled along one dimension of the array.",
                                dimension_fields, dimension_index, "array_dimension");

constexpr Field unrolling_fields[] = {field<&SpatialUnrolling::dimensions>(
    "dimensions", "", "By array dimension; those that are absent are left to the generator.")};
FieldIndex unrolling_index;
constexpr Type unrolling_type = object_type<SpatialUnrolling>(
    "spatial_unrolling", "A spatial mapping as a user writes it.", unrolling_fields, unrolling_index);

}  // namespace

template <>
const Type* type_of<SpatialLoop>() {
  return &loop_type;
}
template <>
const Type* type_of<ArrayUnrolling>() {
  return &dimension_type;
}
template <>
const Type* type_of<SpatialUnrolling>() {
  return &unrolling_type;
}

}  // namespace zz::core
