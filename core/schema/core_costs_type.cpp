#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field core_cost_fields[] = {
    required_field<&CoreCost::core>("core", "", "Number of the core."),
    required_field<&CoreCost::runtime>("runtime", "cycle",
                                       "With loading, without off-loading of the last outputs."),
    field<&CoreCost::onchip_energy>("onchip_energy", "pJ", "Of arithmetic and the core's own memories."),
    field<&CoreCost::offchip_energy>("offchip_energy", "pJ",
                                     "Of the off-chip memory, for operands that stream."),
    field<&CoreCost::streamed>("streamed", "",
                               "Operands too large for the core, by their position in the equation."),
    field<&CoreCost::stream_read_elements>("stream_read_elements", "1/cycle",
                                           "Elements read from the off-chip memory, whole ones."),
    field<&CoreCost::stream_write_elements>("stream_write_elements", "1/cycle",
                                            "Elements written to the off-chip memory, whole ones."),
    field<&CoreCost::stream_read_bits>("stream_read_bits", "bit",
                                       "Read from the off-chip memory in one run."),
    field<&CoreCost::stream_write_bits>("stream_write_bits", "bit",
                                        "Written to the off-chip memory in one run."),
    field<&CoreCost::evaluation>("evaluation", "", "What the figures come from; may be null.")};
FieldIndex core_cost_index;
constexpr Type core_cost_type = object_type<CoreCost>(
    "core_cost", "What one node of a layer costs on one core.", core_cost_fields, core_cost_index);

constexpr Field of_shape_fields[] = {
    field<&CoreCosts::OfShape::on>("on", "", "Costs by candidate core, in the order of the mapping.")};
FieldIndex of_shape_index;
constexpr Type of_shape_type = object_type<CoreCosts::OfShape>(
    "shape_core_costs", "What one of the smaller nodes of a layer costs on each candidate core.",
    of_shape_fields, of_shape_index);

constexpr Field of_layer_fields[] = {
    field<&CoreCosts::OfLayer::on>("on", "", "Costs by candidate core, in the order of the mapping."),
    field<&CoreCosts::OfLayer::smaller>("smaller", "",
                                        "The same of smaller nodes, by `smaller_tiles` of the layer.")};
FieldIndex of_layer_index;
constexpr Type of_layer_type = object_type<CoreCosts::OfLayer>(
    "layer_core_costs", "What one of the largest nodes of a layer costs on each candidate core.",
    of_layer_fields, of_layer_index);

constexpr Field core_costs_fields[] = {
    required_field<&CoreCosts::layers>("layers", "", "Rows of costs, in the order of the graph's layers.")};
FieldIndex core_costs_index;
constexpr Type core_costs_type =
    object_type<CoreCosts>("core_costs", "What the nodes of each layer cost on each candidate core.",
                           core_costs_fields, core_costs_index);

}  // namespace

template <>
const Type* type_of<CoreCost>() {
  return &core_cost_type;
}
template <>
const Type* type_of<CoreCosts::OfShape>() {
  return &of_shape_type;
}
template <>
const Type* type_of<CoreCosts::OfLayer>() {
  return &of_layer_type;
}
template <>
const Type* type_of<CoreCosts>() {
  return &core_costs_type;
}

}  // namespace zz::core
