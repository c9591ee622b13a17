#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field cost_fields[] = {
    field<&CoreCost::core>("core", "", "Number of the core."),
    field<&CoreCost::runtime>("runtime", "cycle", "With loading, without off-loading of the last outputs."),
    field<&CoreCost::onchip_energy>("onchip_energy", "pJ", "Of arithmetic and the core's own memories."),
    field<&CoreCost::offchip_energy>("offchip_energy", "pJ",
                                     "Of the off-chip memory, for operands that stream."),
    field<&CoreCost::streamed>("streamed", "",
                               "Operands too large for the core, by their place in the equation."),
    field<&CoreCost::stream_read_elements>("stream_read_elements", "1/cycle",
                                           "Elements read from the off-chip memory, whole ones."),
    field<&CoreCost::stream_write_elements>("stream_write_elements", "1/cycle",
                                            "Elements written to the off-chip memory, whole ones."),
    field<&CoreCost::stream_read_bits>("stream_read_bits", "bit",
                                       "Read from the off-chip memory in one run."),
    field<&CoreCost::stream_write_bits>("stream_write_bits", "bit",
                                        "Written to the off-chip memory in one run."),
    field<&CoreCost::evaluation>("evaluation", "", "What the figures come from; may be null.")};
FieldIndex cost_index;
constexpr Type cost_type = object_type<CoreCost>("core_cost", "What one node of a layer costs on one core.",
                                                 cost_fields, cost_index);

constexpr Field row_fields[] = {
    field<&CoreCosts::OfLayer::on>("on", "", "Costs by candidate core, in the order of the mapping.")};
FieldIndex row_index;
constexpr Type row_type = object_type<CoreCosts::OfLayer>(
    "layer_core_costs", "What one node of a layer costs on each candidate core.", row_fields, row_index);

constexpr Field costs_fields[] = {
    field<&CoreCosts::layers>("layers", "", "Rows of costs, in the order of the graph's layers.")};
FieldIndex costs_index;
constexpr Type costs_type = object_type<CoreCosts>(
    "core_costs", "What the nodes of each layer cost on each candidate core.", costs_fields, costs_index);

}  // namespace

template <>
const Type* type_of<CoreCost>() {
  return &cost_type;
}
template <>
const Type* type_of<CoreCosts::OfLayer>() {
  return &row_type;
}
template <>
const Type* type_of<CoreCosts>() {
  return &costs_type;
}

}  // namespace zz::core
