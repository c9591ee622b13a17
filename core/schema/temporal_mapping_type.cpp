#include "core/schema/checks.hpp"
#include "core/schema/keys.hpp"
#include "core/schema/types.hpp"

namespace zz::core {
namespace {

constexpr Field temporal_loop_fields[] = {
    required_field<&TemporalLoop::dimension>("dimension", "", "Loop dimension."),
    required_field<&TemporalLoop::size>("size", "", "Number of iterations.")};
FieldIndex temporal_loop_index;
constexpr Type temporal_loop_type = object_type<TemporalLoop>(
    "temporal_loop", "One loop in time.", temporal_loop_fields, temporal_loop_index, "dimension");

constexpr Field operand_temporal_mapping_fields[] = {
    required_field<&OperandTemporalMapping::operand>("operand", "", "Operand of the layer."),
    required_field<&OperandTemporalMapping::allocated>(
        "allocated", "",
        "Per memory the number of innermost loops whose data it holds, as the allocator made them."),
    required_field<&OperandTemporalMapping::stationary>(
        "stationary", "",
        "The same after irrelevant loops moved to the level below: what the cost model uses.")};
FieldIndex operand_temporal_mapping_index;
constexpr Type operand_temporal_mapping_type = object_type<OperandTemporalMapping>(
    "operand_temporal_mapping", "Where one operand cuts the loop nest.", operand_temporal_mapping_fields,
    operand_temporal_mapping_index, "operand");

constexpr Field temporal_mapping_fields[] = {
    required_field<&TemporalMapping::loops>("loops", "", "The loops in their order, innermost first."),
    required_field<&TemporalMapping::operands>("operands", "", "By operand, in the order of the equation."),
    field<&TemporalMapping::type>("type", "",
                                  "uneven or even: whether operands cut the loop nest each for itself.")};
FieldIndex temporal_mapping_index;

void validate_cuts(const std::vector<int>& cuts, std::size_t loops, const std::string& place) {
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    if (cuts[i] >= (i ? cuts[i - 1] : 0) && cuts[i] <= static_cast<std::int64_t>(loops)) continue;
    throw ValueError(ValueError::Problem::invalid,
                     place + "[" + std::to_string(i) + "]: cuts must not decrease nor exceed the " +
                         std::to_string(loops) + " loops, this one is " + std::to_string(cuts[i]));
  }
}

void validate_temporal_mapping(const void* object) {
  const TemporalMapping& mapping = *static_cast<const TemporalMapping*>(object);
  for (std::size_t i = 0; i < mapping.loops.size(); ++i) {
    const std::string place = "temporal_mapping.loops[" + std::to_string(i) + "]";
    if (mapping.loops[i].dimension.empty())
      throw ValueError(ValueError::Problem::invalid, place + ".dimension: must not be empty");
    require_positive(mapping.loops[i].size, place + ".size");
  }
  for (const OperandTemporalMapping& operand : mapping.operands) {
    const std::string place = "temporal_mapping.operands[" + operand.operand + "]";
    validate_cuts(operand.allocated, mapping.loops.size(), place + ".allocated");
    validate_cuts(operand.stationary, mapping.loops.size(), place + ".stationary");
  }
}

constexpr Type temporal_mapping_type = object_type<TemporalMapping>(
    "temporal_mapping", "The order of a layer's loops in time, and how operands are allocated to memories.",
    temporal_mapping_fields, temporal_mapping_index, "", validate_temporal_mapping);

}  // namespace

template <>
const Type* type_of<TemporalLoop>() {
  return &temporal_loop_type;
}
template <>
const Type* type_of<OperandTemporalMapping>() {
  return &operand_temporal_mapping_type;
}
template <>
const Type* type_of<TemporalMapping>() {
  return &temporal_mapping_type;
}

}  // namespace zz::core
