#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field operand_assignment_fields[] = {
    required_field<&OperandAssignment::layer_operand>("layer_operand", "", "Operand of the layer, as W."),
    required_field<&OperandAssignment::memory_operand>("memory_operand", "",
                                                       "Operand of the memories, as I2.")};
FieldIndex operand_assignment_index;
constexpr Type operand_assignment_type =
    object_type<OperandAssignment>("memory_operand_link", "Which memory operand serves a layer operand.",
                                   operand_assignment_fields, operand_assignment_index, "layer_operand");

constexpr Field unrolling_hint_fields[] = {
    required_field<&UnrollingHint::array_dimension>("array_dimension", "",
                                                    "Dimension of the array, as D1."),
    required_field<&UnrollingHint::dimensions>("dimensions", "",
                                               "Loop dimensions that may be unrolled along it.")};
FieldIndex unrolling_hint_index;
constexpr Type unrolling_hint_type =
    object_type<UnrollingHint>("unrolling_hint", "What may be unrolled along an array dimension.",
                               unrolling_hint_fields, unrolling_hint_index, "array_dimension");

constexpr Field ordering_entry_fields[] = {
    required_field<&OrderingEntry::dimension>("dimension", "", "Loop dimension."),
    field<&OrderingEntry::size>("size", "", "Iterations; null means any loop of the dimension."),
    field<&OrderingEntry::all>("all", "",
                               "One loop of all iterations that earlier entries leave; `size` is null.")};
FieldIndex ordering_entry_index;
constexpr Type ordering_entry_type =
    object_type<OrderingEntry>("ordering_entry", "One entry of a temporal ordering.", ordering_entry_fields,
                               ordering_entry_index, "dimension");

constexpr Field operand_precision_fields[] = {
    required_field<&OperandPrecision::operand>("operand", "", "O (partial sums), W, I or O_final."),
    required_field<&OperandPrecision::bits>("bits", "bit", "Bits per element.")};
FieldIndex operand_precision_index;
constexpr Type operand_precision_type =
    object_type<OperandPrecision>("operand_precision", "Bits per element of an operand.",
                                  operand_precision_fields, operand_precision_index, "operand");

constexpr Field layer_mapping_fields[] = {
    required_field<&LayerMapping::name>("name", "", "Layer, operator type, or default."),
    field<&LayerMapping::spatial_mapping>("spatial_mapping", "",
                                          "Prescribed unrolling; empty: everything is generated."),
    field<&LayerMapping::spatial_hints>("spatial_mapping_hint", "",
                                        "What may be unrolled where; empty: everything."),
    field<&LayerMapping::memory_operands>("memory_operand_links", "",
                                          "Which memory operand serves which layer operand."),
    field<&LayerMapping::temporal_ordering>("temporal_ordering", "",
                                            "Prescribed loop order, innermost first."),
    field<&LayerMapping::operand_precision>("operand_precision", "",
                                            "Bits per element in place of those of the workload."),
    field<&LayerMapping::core_allocation>("core_allocation", "",
                                          "Cores that may run the layer, in order of preference.")};
FieldIndex layer_mapping_index;
constexpr Type layer_mapping_type =
    object_type<LayerMapping>("layer_mapping", "What a mapping file prescribes for a layer.",
                              layer_mapping_fields, layer_mapping_index, "name");

constexpr Field mapping_file_fields[] = {
    required_field<&MappingFile::entries>("entries", "", "Entries in the order of the file.")};
FieldIndex mapping_file_index;
constexpr Type mapping_file_type =
    object_type<MappingFile>("mapping_file", "A mapping file.", mapping_file_fields, mapping_file_index);

}  // namespace

template <>
const Type* type_of<OperandAssignment>() {
  return &operand_assignment_type;
}
template <>
const Type* type_of<UnrollingHint>() {
  return &unrolling_hint_type;
}
template <>
const Type* type_of<OrderingEntry>() {
  return &ordering_entry_type;
}
template <>
const Type* type_of<OperandPrecision>() {
  return &operand_precision_type;
}
template <>
const Type* type_of<LayerMapping>() {
  return &layer_mapping_type;
}
template <>
const Type* type_of<MappingFile>() {
  return &mapping_file_type;
}

}  // namespace zz::core
