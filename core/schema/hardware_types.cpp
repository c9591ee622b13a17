#include "core/hardware/multi_core_accelerator.hpp"
#include "core/hardware/multi_core_check.hpp"
#include "core/schema/keys.hpp"
#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field port_allocation_fields[] = {
    required_field<&PortAllocation::operand>("operand", "", "Memory operand, as I1."),
    required_field<&PortAllocation::direction>("direction", "",
                                               "Transfer seen from the memory: fh, fl, th or tl.")};
FieldIndex port_allocation_index;
constexpr Type port_allocation_type =
    object_type<PortAllocation>("port_allocation", "An operand and a direction that a port carries.",
                                port_allocation_fields, port_allocation_index, "operand");

constexpr Field first_touch_fields[] = {
    required_field<&FirstTouch::bytes>("bytes", "byte", "Size of a line."),
    required_field<&FirstTouch::cold_cycles>("cold_cycles", "cycle",
                                             "That the port takes for a line at its first touch.")};
FieldIndex first_touch_index;
constexpr Type first_touch_type =
    object_type<FirstTouch>("first_touch", "How data come from a memory for the first time: in lines.",
                            first_touch_fields, first_touch_index);

constexpr Field request_fields[] = {
    required_field<&Request::bytes>("bytes", "byte", "That the port moves in one go at most."),
    required_field<&Request::cycles>("cycles", "cycle", "That it takes for them.")};
FieldIndex request_index;
constexpr Type request_type =
    object_type<Request>("request", "Bytes that a port moves in one go.", request_fields, request_index);

constexpr Field port_requests_fields[] = {
    required_field<&PortRequests::bytes>("bytes", "byte", "Of a request at most."),
    required_field<&PortRequests::cycles>("cycles", "cycle", "That one takes."),
    field<&PortRequests::store>("store", "",
                                "Of data that come from the units, in place of these; null: the same.")};
FieldIndex port_requests_index;
constexpr Type port_requests_type = object_type<PortRequests>(
    "port_requests", "How a port moves data: at least one request for each stretch of a tile.",
    port_requests_fields, port_requests_index);

constexpr Field port_fields[] = {
    required_field<&Port::name>("name", "", "Name of the port."),
    required_field<&Port::type>("type", "", "read, write or read_write."),
    required_field<&Port::bandwidth_min>("bandwidth_min", "bit/cycle",
                                         "Transfers are padded to multiples of it."),
    required_field<&Port::bandwidth_max>("bandwidth_max", "bit/cycle", "Width of a full access."),
    required_field<&Port::allocation>("allocation", "", "What the port carries."),
    field<&Port::efficiency>("efficiency", "", "Share of bandwidth_max that long transfers reach."),
    field<&Port::overlap>(
        "overlap", "",
        "Share of the shorter of computation and repeated transfers that hides behind the "
        "longer."),
    field<&Port::line>("line", "", "Cache lines of a topmost memory; null: none."),
    field<&Port::request>("request", "", "Requests in which the port moves data; null: none.")};
FieldIndex port_index;
constexpr Type port_type =
    object_type<Port>("port", "A port of a memory.", port_fields, port_index, "name");

constexpr Field operand_format_fields[] = {
    required_field<&OperandFormat::operand>("operand", "", "Operand of layers: O, W or I."),
    required_field<&OperandFormat::format>("format", "", "none, bitmask, coordinates or run_length.")};
FieldIndex operand_format_index;
constexpr Type operand_format_type =
    object_type<OperandFormat>("operand_format", "Form in which a memory stores an operand that is sparse.",
                               operand_format_fields, operand_format_index, "operand");

constexpr Field memory_fields[] = {
    required_field<&Memory::name>("name", "", "Name of the memory."),
    required_field<&Memory::size>("size", "bit", "Capacity of one instance."),
    required_field<&Memory::read_cost>("r_cost", "pJ", "Energy of one read of bandwidth_max bits."),
    required_field<&Memory::write_cost>("w_cost", "pJ", "Energy of one write of bandwidth_max bits."),
    field<&Memory::area>("area", "", "Area of one instance."),
    field<&Memory::latency>("latency", "cycle", "Access latency; no computation uses it."),
    field<&Memory::memory_type>("mem_type", "", "sram, dram or rf."),
    required_field<&Memory::operands>("operands", "",
                                      "Memory operands that it holds, in the order of the allocator."),
    required_field<&Memory::ports>("ports", "", "Its ports."),
    required_field<&Memory::served_dimensions>(
        "served_dimensions", "", "Array dimensions along which one instance serves all units."),
    field<&Memory::force_double_buffering>("force_double_buffering", "",
                                           "Stored only; no computation uses it."),
    field<&Memory::tile_interval>("tile_interval", "cycle", "From one tile to the next, at least."),
    field<&Memory::shared_tiles>("shared_tiles", "",
                                 "Whether its inputs are cut at the same loop, and loaded anew at each "
                                 "iteration above."),
    field<&Memory::shared_with>("shared_with", "",
                                "Name of the memory of the vector unit, or of the core beside it, that is "
                                "the same one; empty: none."),
    field<&Memory::moves_to>("moves_to", "",
                             "The memory of inputs into which finished outputs can be moved from here; "
                             "empty: none."),
    sparse_field<&Memory::formats>("format", "", "Forms of operands that are sparse."),
    field<&Memory::format_quantile>("format_quantile", "",
                                    "Share of the tiles in a format that find room.")};
FieldIndex memory_index;
constexpr Type memory_type =
    object_type<Memory>("memory", "A memory of an accelerator; one entry stands for all its instances.",
                        memory_fields, memory_index, "name");

}  // namespace

template <>
const Type* type_of<PortAllocation>() {
  return &port_allocation_type;
}
template <>
const Type* type_of<FirstTouch>() {
  return &first_touch_type;
}
template <>
const Type* type_of<Request>() {
  return &request_type;
}
template <>
const Type* type_of<PortRequests>() {
  return &port_requests_type;
}
template <>
const Type* type_of<Port>() {
  return &port_type;
}
template <>
const Type* type_of<Memory>() {
  return &memory_type;
}

namespace {

constexpr Field array_dimension_fields[] = {
    required_field<&ArrayDimension::name>("name", "", "Name of the dimension, as D1."),
    required_field<&ArrayDimension::size>("size", "", "Units along it.")};
FieldIndex array_dimension_index;
constexpr Type array_dimension_type =
    object_type<ArrayDimension>("array_dimension", "One dimension of an array of units.",
                                array_dimension_fields, array_dimension_index, "name");

constexpr Field imc_properties_fields[] = {
    required_field<&ImcProperties::imc_type>("imc_properties_type", "", "analog or digital."),
    required_field<&ImcProperties::activation_precision>("activation_precision", "bit",
                                                         "Size of an activation."),
    required_field<&ImcProperties::weight_precision>("weight_precision", "bit", "Size of a weight."),
    field<&ImcProperties::adc_resolution>("adc_resolution", "bit", "Resolution of the converters."),
    field<&ImcProperties::bit_serial_precision>("bit_serial_precision", "bit/cycle",
                                                "Activation bits fed in at once.")};
FieldIndex imc_properties_index;
constexpr Type imc_properties_type =
    object_type<ImcProperties>("imc_properties", "What makes an array an in-memory-computing one.",
                               imc_properties_fields, imc_properties_index);

constexpr Field array_fold_fields[] = {
    required_field<&ArrayFold::operand>("operand", "", "Memory operand that stays in the units, as I2."),
    field<&ArrayFold::fill>("fill", "",
                            "Units behind the first that fill one a cycle, along the first array "
                            "dimension: none, used or whole."),
    field<&ArrayFold::drain>("drain", "",
                             "Units behind the first that drain one a cycle, along the second array "
                             "dimension: none, used or whole."),
    field<&ArrayFold::preload>("preload", "",
                               "Array dimension along which what stays is loaded, one unit a cycle; empty: "
                               "none."),
    field<&ArrayFold::overlapped>("overlapped", "", "All folds together cost as much as one.")};
FieldIndex array_fold_index;
constexpr Type array_fold_type =
    object_type<ArrayFold>("array_fold", "What it costs that data stay in the units of a systolic array.",
                           array_fold_fields, array_fold_index);

constexpr Field array_instruction_fields[] = {
    required_field<&ArrayInstruction::operand>("operand", "",
                                               "Memory operand that stays in the units, as I2."),
    required_field<&ArrayInstruction::along>(
        "along", "", "Loops of layers; the first that a stay has makes the rows of blocks."),
    required_field<&ArrayInstruction::rows>("rows", "", "Rows of a block at most, a cycle each."),
    field<&ArrayInstruction::min_cycles>("min_cycles", "cycle", "Of a block at least."),
    field<&ArrayInstruction::reload_cycles>("reload_cycles", "cycle",
                                            "Of the first block of a stay at least."),
    field<&ArrayInstruction::interval>("interval", "cycle",
                                       "From a block to the next, on average over a stay.")};
FieldIndex array_instruction_index;
constexpr Type array_instruction_type =
    object_type<ArrayInstruction>("array_instruction", "An array that is given its work in blocks of rows.",
                                  array_instruction_fields, array_instruction_index);

constexpr Field operand_on_zero_fields[] = {
    required_field<&OperandOnZero::operand>("operand", "", "Operand of layers: W or I."),
    required_field<&OperandOnZero::does>("does", "", "gate or skip.")};
FieldIndex operand_on_zero_index;
constexpr Type operand_on_zero_type =
    object_type<OperandOnZero>("operand_on_zero", "What units do where an element is zero.",
                               operand_on_zero_fields, operand_on_zero_index, "operand");

constexpr Field operational_array_fields[] = {
    required_field<&OperationalArray::dimensions>("dimensions", "", "Its dimensions."),
    field<&OperationalArray::unit_energy>("unit_energy", "pJ", "Energy of one multiply-accumulate."),
    field<&OperationalArray::unit_area>("unit_area", "", "Area of one unit."),
    field<&OperationalArray::systolic_dimensions>(
        "systolic_dimensions", "",
        "Array dimensions along which operands move from unit to unit, one unit a cycle."),
    field<&OperationalArray::operand_precision>(
        "operand_precision", "",
        "Bits of the numbers that the units work on, for networks that do not say theirs."),
    field<&OperationalArray::imc>("imc", "",
                                  "Properties of in-memory computing; null for plain multipliers."),
    field<&OperationalArray::fold>("fold", "",
                                   "What filling and draining a systolic array costs, or null."),
    field<&OperationalArray::instruction>("instruction", "", "How the array is given its work, or null."),
    field<&OperationalArray::efficiency>("efficiency", "", "Share of its peak that long runs reach."),
    sparse_field<&OperationalArray::converts>(
        "converts", "",
        "Numbers in blocks that the units do not take as they are become theirs on the way."),
    sparse_field<&OperationalArray::on_zero>("on_zero", "", "Operands whose zeros units skip or gate."),
    field<&OperationalArray::skip_together>("skip_together", "",
                                            "Whether units that skip zeros wait for each other."),
    derived<OperationalArray>("unit_count", "", "Number of units.",
                              [](const OperationalArray& array) { return array.unit_count(); })};
FieldIndex operational_array_index;
constexpr Type operational_array_type =
    object_type<OperationalArray>("operational_array", "The array of multiply-accumulate units.",
                                  operational_array_fields, operational_array_index);

/// Copies of each memory, by name; the word is the accelerator.
constexpr Type instances_type{
    .kind = Kind::map,
    .count =
        [](std::uint64_t word) {
          return static_cast<std::uint32_t>(object_at<Accelerator>(word).memories.size());
        },
    .at =
        [](std::uint64_t word, std::uint32_t index, std::string_view& key) {
          const Accelerator& accelerator = object_at<Accelerator>(word);
          key = accelerator.memories[index].name;
          return reflect(accelerator.instances(accelerator.memories[index]));
        },
    .get =
        [](std::uint64_t word, Name key) {
          const Accelerator& accelerator = object_at<Accelerator>(word);
          for (const Memory& memory : accelerator.memories)
            if (memory.name == text_of(key)) return reflect(accelerator.instances(memory));
          return missing(key);
        },
    .clone = clone_object<Accelerator>};

constexpr Field accelerator_fields[] = {
    required_field<&Accelerator::name>("name", "", "Name of the accelerator."),
    required_field<&Accelerator::memories>("memories", "", "Its memories, from the units outwards."),
    required_field<&Accelerator::array>("operational_array", "", "The array of units."),
    field<&Accelerator::dataflows>("dataflows", "",
                                   "How a core of several unrolls its layers; not used on a single core."),
    sparse_field<&Accelerator::clock_period>("clock_period", "ns", "Clock period; 0 where nobody says it."),
    sparse_field<&Accelerator::workload_sparsity>(
        "workload_sparsity", "", "Zeros of tensors, by name, of which nothing else is said."),
    derived<Accelerator>("unit_count", "", "Number of units of the array.",
                         [](const Accelerator& accelerator) { return accelerator.array.unit_count(); }),
    derived<Accelerator>("memory_instances", "", "Number of instances of each memory, by name.",
                         [](const Accelerator& accelerator) {
                           return Ref{word_of(&accelerator), &instances_type};
                         })};
FieldIndex accelerator_index;
constexpr Type accelerator_type = object_type<Accelerator>(
    "accelerator", "A single-core accelerator: an array of units below a hierarchy of memories.",
    accelerator_fields, accelerator_index, "name",
    [](const void* object) { static_cast<const Accelerator*>(object)->validate(); });

}  // namespace

template <>
const Type* type_of<ArrayDimension>() {
  return &array_dimension_type;
}
template <>
const Type* type_of<ImcProperties>() {
  return &imc_properties_type;
}
template <>
const Type* type_of<ArrayFold>() {
  return &array_fold_type;
}
template <>
const Type* type_of<ArrayInstruction>() {
  return &array_instruction_type;
}
template <>
const Type* type_of<OperandFormat>() {
  return &operand_format_type;
}
template <>
const Type* type_of<OperandOnZero>() {
  return &operand_on_zero_type;
}
template <>
const Type* type_of<OperationalArray>() {
  return &operational_array_type;
}
template <>
const Type* type_of<Accelerator>() {
  return &accelerator_type;
}

namespace {

constexpr Field link_fields[] = {
    required_field<&Link::sender>("sender", "", "Id of the core that sends, -1 for several."),
    required_field<&Link::receiver>("receiver", "", "Id of the core that receives, -1 for several."),
    required_field<&Link::bandwidth>("bandwidth", "bit/cycle",
                                     "What it carries; infinite: transfers take no time."),
    field<&Link::unit_energy>("unit_energy", "pJ/cycle", "Energy of each cycle of a transfer."),
    field<&Link::bidirectional>("bidirectional", "",
                                "One link for both directions, to the sender and from it.")};
FieldIndex link_index;
constexpr Type link_type = object_type<Link>("link", "A channel between cores.", link_fields, link_index);

constexpr Field connection_fields[] = {
    required_field<&Connection::from>("from", "", "Id of the core where it starts."),
    required_field<&Connection::to>("to", "", "Id of the core where it ends."),
    required_field<&Connection::link>("link", "", "Position of the link that it uses.")};
FieldIndex connection_index;
constexpr Type connection_type =
    object_type<Connection>("connection", "A way from one core to another without a core between.",
                            connection_fields, connection_index);

constexpr Field top_memory_fields[] = {
    field<&TopMemory::name>("name", "", "Name of the memory in its core."),
    field<&TopMemory::cores>("cores", "", "Ids of the cores that have it; several share it."),
    field<&TopMemory::operands>("operands", "", "Memory operands that it holds."),
    field<&TopMemory::size>("size", "bit", "Capacity."),
    field<&TopMemory::read_bandwidth>("read_bandwidth", "bit/cycle", "Bits of one read."),
    field<&TopMemory::write_bandwidth>("write_bandwidth", "bit/cycle", "Bits of one write."),
    field<&TopMemory::read_cost>("r_cost", "pJ", "Energy of one read of read_bandwidth bits."),
    field<&TopMemory::write_cost>("w_cost", "pJ", "Energy of one write of write_bandwidth bits.")};
FieldIndex top_memory_index;
constexpr Type top_memory_type =
    object_type<TopMemory>("top_memory", "A memory in which data of a core have their home.",
                           top_memory_fields, top_memory_index, "name");

constexpr Field multi_core_accelerator_fields[] = {
    field<&MultiCoreAccelerator::name>("name", "", "Name of the accelerator."),
    required_field<&MultiCoreAccelerator::cores>("cores", "", "Its cores; the position is the id."),
    field<&MultiCoreAccelerator::pooling_core>("pooling_core", "", "Id of the pooling core, or null."),
    field<&MultiCoreAccelerator::simd_core>("simd_core", "", "Id of the simd core, or null."),
    field<&MultiCoreAccelerator::offchip_core>("offchip_core", "", "Id of the off-chip memory, or null."),
    field<&MultiCoreAccelerator::links>("links", "", "The channels between the cores."),
    field<&MultiCoreAccelerator::connections>(
        "connections", "", "Which core reaches which by which link; the order decides between routes."),
    field<&MultiCoreAccelerator::shared_memories>(
        "shared_memories", "", "Lists of ids of cores whose topmost memories of one name are one memory."),
    derived<MultiCoreAccelerator>(
        "top_memories", "", "The memories in which data have their home, core by core.",
        [](const MultiCoreAccelerator& accelerator) { return reflect(accelerator.top_memories); }),
    derived<MultiCoreAccelerator>(
        "memories_of", "", "For each core the positions of its memories in top_memories.",
        [](const MultiCoreAccelerator& accelerator) { return reflect(accelerator.cores_tops); }),
    derived<MultiCoreAccelerator>(
        "routes", "",
        "Links from core a to core b, in order; the position is a times the number of cores plus b.",
        [](const MultiCoreAccelerator& accelerator) { return reflect(accelerator.routes); })};
FieldIndex multi_core_accelerator_index;

/// Edits a field and derives again what follows from the fields. Between the edits of one call that may be
/// impossible; the check at the end reports it.
void edit_and_derive(EditSession& session, void* object, std::span<const Name> steps, const Value* value,
                     const Where& where) {
  edit_object(*type_of<MultiCoreAccelerator>(), session, object, steps, value, where);
  try {
    static_cast<MultiCoreAccelerator*>(object)->derive();
  } catch (const InputError&) {
    return;
  }
}

constexpr Type with_derived_parts(Type type) {
  type.edit = edit_and_derive;
  return type;
}

constexpr Type multi_core_accelerator_type = with_derived_parts(object_type<MultiCoreAccelerator>(
    "multi_core_accelerator", "Cores with memories of their own, joined by links.",
    multi_core_accelerator_fields, multi_core_accelerator_index, "name", [](const void* object) {
      MultiCoreAccelerator accelerator = *static_cast<const MultiCoreAccelerator*>(object);
      accelerator.derive();
    }));

}  // namespace

template <>
const Type* type_of<Link>() {
  return &link_type;
}
template <>
const Type* type_of<Connection>() {
  return &connection_type;
}
template <>
const Type* type_of<TopMemory>() {
  return &top_memory_type;
}
template <>
const Type* type_of<MultiCoreAccelerator>() {
  return &multi_core_accelerator_type;
}

}  // namespace zz::core
