#include "core/schema/checks.hpp"
#include "core/schema/keys.hpp"
#include "core/schema/types.hpp"
#include "core/value/object.hpp"
#include "core/value/read.hpp"

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

namespace {

constexpr Field member_operand_fields[] = {
    required_field<&MemberOperand::operand>("operand", "", "Operand of the layer."),
    formerly("place",
             required_field<&MemberOperand::role>("role", "", "`exchanged`, `kept` or `brought`.")),
    field<&MemberOperand::depth>("depth", "", "Of what is exchanged or kept: shared loops above its tile."),
    formerly("home", field<&MemberOperand::exchange_memory>("exchange_memory", "",
                                                            "Its name, of what is exchanged or kept."))};
FieldIndex member_operand_index;
constexpr Type member_operand_type =
    object_type<MemberOperand>("member_operand", "Where an operand is between iterations of shared loops.",
                               member_operand_fields, member_operand_index, "operand");

constexpr Field group_member_fields[] = {
    field<&GroupMember::group>("group", "", "Number of the group in the network; from 1."),
    formerly("home",
             field<&GroupMember::exchange_memory>(
                 "exchange_memory", "", "Name of the memory where the group exchanges or keeps data.")),
    field<&GroupMember::shared>("shared", "", "Loops that neighbours share, outermost first."),
    field<&GroupMember::with_next>("with_next", "", "How many of them are shared with the next layer."),
    field<&GroupMember::operands>("operands", "", "By operand, in the order of the equation.")};
FieldIndex group_member_index;
constexpr Type group_member_type =
    object_type<GroupMember>("group_member", "A layer as a member of a group of layers that are fused.",
                             group_member_fields, group_member_index);

}  // namespace

template <>
const Type* type_of<MemberOperand>() {
  return &member_operand_type;
}
template <>
const Type* type_of<GroupMember>() {
  return &group_member_type;
}

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

constexpr Field memory_cut_fields[] = {
    required_field<&MemoryCut::memory>("memory", "", "Name of the memory."),
    required_field<&MemoryCut::loops>("loops", "",
                                      "How many innermost entries of the ordering it holds the data of.")};
FieldIndex memory_cut_index;
constexpr Type memory_cut_type =
    object_type<MemoryCut>("memory_cut", "Where a memory cuts a temporal ordering.", memory_cut_fields,
                           memory_cut_index, "memory");

constexpr Field operand_cuts_fields[] = {
    required_field<&OperandCuts::operand>("operand", "", "Operand of the layer, as W."),
    required_field<&OperandCuts::memories>("memories", "", "By memory, the lowest first.")};
FieldIndex operand_cuts_index;
constexpr Type operand_cuts_type = object_type<OperandCuts>(
    "operand_cuts", "Where an operand cuts the temporal ordering of a mapping file.", operand_cuts_fields,
    operand_cuts_index, "operand");

constexpr Field block_scale_fields[] = {
    required_field<&BlockScale::bits>("bits", "bit",
                                      "Of the scale of one block, with its zero point; 0: none."),
    required_field<&BlockScale::every>("every", "", "Elements of a block."),
    field<&BlockScale::along>("along", "",
                              "Loop dimension along which they follow each other; empty: by the operand.")};
FieldIndex block_scale_index;
constexpr Type block_scale_type = object_type<BlockScale>(
    "block_scale", "What the numbers of a block have in common.", block_scale_fields, block_scale_index);

constexpr Field operand_precision_fields[] = {
    required_field<&OperandPrecision::operand>("operand", "", "O (partial sums), W, I or O_final."),
    required_field<&OperandPrecision::bits>("bits", "bit", "Bits per element."),
    sparse_field<&OperandPrecision::scale>("scale", "", "Of numbers in blocks.")};
FieldIndex operand_precision_index;
constexpr Type operand_precision_type =
    object_type<OperandPrecision>("operand_precision", "Bits per element of an operand.",
                                  operand_precision_fields, operand_precision_index, "operand");

constexpr Field operand_sparsity_fields[] = {
    required_field<&OperandSparsity::operand>("operand", "",
                                              "O, W or I; of an accelerator a name of tensors."),
    field<&OperandSparsity::density>("density", "", "Share of the elements that are not zero."),
    field<&OperandSparsity::pattern>("pattern", "", "As 2:4, in place of a density; empty: none."),
    field<&OperandSparsity::along>("along", "", "Loop along which blocks of the pattern lie.")};
FieldIndex operand_sparsity_index;
constexpr Type operand_sparsity_type =
    object_type<OperandSparsity>("operand_sparsity", "Zeros among the elements of an operand.",
                                 operand_sparsity_fields, operand_sparsity_index, "operand");

constexpr Field operand_layout_fields[] = {
    required_field<&OperandLayout::operand>("operand", "", "Operand of the layer, as W."),
    required_field<&OperandLayout::dimensions>(
        "dimensions", "",
        "Its dimensions, the innermost last; a first \"..\" stands for "
        "those that are not named.")};
FieldIndex operand_layout_index;
constexpr Type operand_layout_type =
    object_type<OperandLayout>("operand_layout", "How an operand lies in memory.", operand_layout_fields,
                               operand_layout_index, "operand");

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
    sparse_field<&LayerMapping::cuts>("cuts", "", "Where operands cut it, when that is prescribed, too."),
    field<&LayerMapping::operand_precision>("operand_precision", "",
                                            "Bits per element in place of those of the workload."),
    sparse_field<&LayerMapping::sparsity>("sparsity", "",
                                          "Zeros in place of those of workload and accelerator."),
    field<&LayerMapping::layout>("layout", "", "How operands lie in memory."),
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
const Type* type_of<MemoryCut>() {
  return &memory_cut_type;
}
template <>
const Type* type_of<OperandCuts>() {
  return &operand_cuts_type;
}
template <>
const Type* type_of<BlockScale>() {
  return &block_scale_type;
}
template <>
const Type* type_of<OperandPrecision>() {
  return &operand_precision_type;
}
template <>
const Type* type_of<OperandSparsity>() {
  return &operand_sparsity_type;
}
template <>
const Type* type_of<OperandLayout>() {
  return &operand_layout_type;
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
