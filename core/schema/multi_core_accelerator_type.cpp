#include "core/hardware/multi_core_accelerator.hpp"
#include "core/hardware/multi_core_check.hpp"
#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field link_fields[] = {
    required_field<&Link::sender>("sender", "", "Id of the core that sends, -1 for several."),
    required_field<&Link::receiver>("receiver", "", "Id of the core that receives, -1 for several."),
    required_field<&Link::bandwidth>("bandwidth", "bit/cycle",
                                     "What it carries; infinite: transfers take no time."),
    field<&Link::unit_energy>("unit_energy", "pJ/cycle", "Energy of each cycle of a transfer."),
    field<&Link::bidirectional>("bidirectional", "", "One link to the off-chip memory and from it.")};
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
