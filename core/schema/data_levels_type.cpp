#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field layer_data_levels_fields[] = {
    required_field<&LayerDataLevels::layer>("layer", "", "Number of the layer in its workload."),
    field<&LayerDataLevels::name>("name", "", "Name of the layer."),
    required_field<&LayerDataLevels::activation>(
        "activation", "", "Highest memory that its activations use, counted from 0 in the accelerator."),
    required_field<&LayerDataLevels::output>("output", "",
                                             "Highest memory that its outputs use, likewise.")};
FieldIndex layer_data_levels_index;
constexpr Type layer_data_levels_type = object_type<LayerDataLevels>(
    "layer_data_levels", "How far up the memory hierarchy the data of one layer go.",
    layer_data_levels_fields, layer_data_levels_index, "name");

constexpr Field data_levels_fields[] = {
    required_field<&DataLevels::layers>("layers", "", "By layer, in the order in which they run.")};
FieldIndex data_levels_index;
constexpr Type data_levels_type =
    object_type<DataLevels>("data_levels", "Where the data between the layers of a network can stay.",
                            data_levels_fields, data_levels_index);

}  // namespace

template <>
const Type* type_of<LayerDataLevels>() {
  return &layer_data_levels_type;
}
template <>
const Type* type_of<DataLevels>() {
  return &data_levels_type;
}

}  // namespace zz::core
