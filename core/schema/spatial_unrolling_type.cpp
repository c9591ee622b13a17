#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field spatial_loop_fields[] = {
    required_field<&SpatialLoop::dimension>("dimension", "", "Loop dimension, as K."),
    required_field<&SpatialLoop::factor>("factor", "", "How many units it is spread over.")};
FieldIndex spatial_loop_index;
constexpr Type spatial_loop_type =
    object_type<SpatialLoop>("spatial_loop", "A loop dimension spread over an array dimension.",
                             spatial_loop_fields, spatial_loop_index, "dimension");

constexpr Field array_unrolling_fields[] = {
    required_field<&ArrayUnrolling::array_dimension>("array_dimension", "",
                                                     "Dimension of the array, as D1."),
    required_field<&ArrayUnrolling::loops>("loops", "", "What is unrolled along it.")};
FieldIndex array_unrolling_index;
constexpr Type array_unrolling_type =
    object_type<ArrayUnrolling>("array_unrolling", "What is unrolled along one dimension of the array.",
                                array_unrolling_fields, array_unrolling_index, "array_dimension");

constexpr Field spatial_unrolling_fields[] = {field<&SpatialUnrolling::dimensions>(
    "dimensions", "", "By array dimension; those that are absent are left to the generator.")};
FieldIndex spatial_unrolling_index;
constexpr Type spatial_unrolling_type =
    object_type<SpatialUnrolling>("spatial_unrolling", "A spatial mapping as a user writes it.",
                                  spatial_unrolling_fields, spatial_unrolling_index);

}  // namespace

template <>
const Type* type_of<SpatialLoop>() {
  return &spatial_loop_type;
}
template <>
const Type* type_of<ArrayUnrolling>() {
  return &array_unrolling_type;
}
template <>
const Type* type_of<SpatialUnrolling>() {
  return &spatial_unrolling_type;
}

}  // namespace zz::core
