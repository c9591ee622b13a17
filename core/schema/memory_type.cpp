#include "core/schema/keys.hpp"
#include "core/schema/types.hpp"

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

constexpr Field port_fields[] = {
    required_field<&Port::name>("name", "", "Name of the port."),
    required_field<&Port::type>("type", "", "read, write or read_write."),
    required_field<&Port::bandwidth_min>("bandwidth_min", "bit/cycle",
                                         "Transfers are padded to multiples of it."),
    required_field<&Port::bandwidth_max>("bandwidth_max", "bit/cycle", "Width of a full access."),
    required_field<&Port::allocation>("allocation", "", "What the port carries.")};
FieldIndex port_index;
constexpr Type port_type =
    object_type<Port>("port", "A port of a memory.", port_fields, port_index, "name");

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
                                           "Stored only; no computation uses it.")};
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
const Type* type_of<Port>() {
  return &port_type;
}
template <>
const Type* type_of<Memory>() {
  return &memory_type;
}

}  // namespace zz::core
