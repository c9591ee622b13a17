#include "core/multicore/schedule/schedule.hpp"
#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {

template <>
struct EnumNames<EnergyTerm> {
  static constexpr auto names = energy_term_names;
};

template <>
struct EnumNames<RemovalCause> {
  static constexpr auto names = removal_cause_names;
};

template <>
struct ArrayKeys<energy_term_count> {
  static constexpr auto names = energy_term_names;
  static constexpr auto codes = energy_term_names;
};

namespace {

constexpr Field scheduled_node_fields[] = {
    required_field<&ScheduledNode::node>("node", "", "The node, counted from 0 in the graph."),
    field<&ScheduledNode::layer>("layer", "", "Id of its layer."),
    field<&ScheduledNode::sub_id>("sub_id", "", "Which node of the layer it is."),
    required_field<&ScheduledNode::core>("core", "", "Id of the core that runs it."),
    required_field<&ScheduledNode::start>("start", "cycle", "When it starts."),
    required_field<&ScheduledNode::end>("end", "cycle", "When its core is free again.")};
FieldIndex scheduled_node_index;
constexpr Type scheduled_node_type = object_type<ScheduledNode>(
    "scheduled_node", "A computation node in time.", scheduled_node_fields, scheduled_node_index);

constexpr Field transfer_fields[] = {
    required_field<&Transfer::tensor>("tensor", "",
                                      "What is sent, counted from 0 in the tensors of the graph."),
    field<&Transfer::bits>("bits", "bit", "Size of the tensor."),
    required_field<&Transfer::sender>("sender", "", "Id of the core that it comes from."),
    required_field<&Transfer::receiver>("receiver", "", "Id of the core that it goes to."),
    field<&Transfer::receiver_memory>(
        "receiver_memory", "", "Where it arrives, counted from 0 in the accelerator's top memories."),
    field<&Transfer::receiver_operand>("receiver_operand", "", "Memory operand under which it arrives."),
    required_field<&Transfer::start>("start", "cycle", "When the first bits leave."),
    required_field<&Transfer::end>("end", "cycle", "When the last bits are there."),
    field<&Transfer::link_energy>("link_energy", "pJ", "Energy of the links."),
    field<&Transfer::memory_energy>("memory_energy", "pJ", "Energy of reading and writing it."),
    field<&Transfer::links>("links", "", "Its route, as positions in the accelerator's links."),
    field<&Transfer::own>(
        "own", "",
        "For each link of the route: 1 when it was occupied, 0 when another transfer of the "
        "tensor was shared or nothing moved."),
    field<&Transfer::nodes_before>("nodes_before", "", "Nodes that were placed when it was decided."),
    field<&Transfer::purpose>("purpose", "", "Energy term that memory_energy counts towards.")};
FieldIndex transfer_index;
constexpr Type transfer_type =
    object_type<Transfer>("transfer", "A tensor sent from core to core.", transfer_fields, transfer_index);

constexpr Field stream_block_fields[] = {
    field<&StreamBlock::node>("node", "", "The node that streams, counted from 0 in the graph."),
    field<&StreamBlock::operands>("operands", "", "Positions of the operands in its layer."),
    field<&StreamBlock::core>("core", "", "Id of the core that runs it."),
    field<&StreamBlock::start>("start", "cycle", "From when the links are reserved."),
    field<&StreamBlock::end>("end", "cycle", "When they are free again."),
    field<&StreamBlock::read_demand>("read_demand", "bit/cycle", "Reserved from the off-chip memory."),
    field<&StreamBlock::write_demand>("write_demand", "bit/cycle", "Reserved to the off-chip memory."),
    field<&StreamBlock::nodes_before>("nodes_before", "", "Nodes that were placed when it was decided.")};
FieldIndex stream_block_index;
constexpr Type stream_block_type =
    object_type<StreamBlock>("stream_block", "Off-chip links reserved while a node streams operands.",
                             stream_block_fields, stream_block_index);

constexpr Field removal_fields[] = {
    field<&Removal::cause>("cause", "", "Why, in the words of result files."),
    field<&Removal::tensor>("tensor", "", "What leaves, counted from 0 in the tensors of the graph."),
    field<&Removal::bits>("bits", "bit", "Size of the tensor."),
    field<&Removal::core>("core", "", "Id of the core that it leaves."),
    field<&Removal::memory>("memory", "",
                            "The memory that it leaves, counted from 0 in the accelerator's top memories."),
    field<&Removal::operand>("operand", "", "Memory operand under which it was there."),
    field<&Removal::time>("time", "cycle", "When its space is free."),
    field<&Removal::written_back>("written_back", "", "Whether it was sent to the off-chip memory."),
    field<&Removal::write_back_end>("write_back_end", "cycle", "When it was there."),
    field<&Removal::nodes_before>("nodes_before", "", "Nodes that were placed when it was decided.")};
FieldIndex removal_index;
constexpr Type removal_type =
    object_type<Removal>("removal", "A tensor that leaves a memory.", removal_fields, removal_index);

constexpr Field exchange_fields[] = {
    required_field<&Exchange::tensor>("tensor", "",
                                      "What is exchanged, counted from 0 in the tensors of the graph."),
    field<&Exchange::bits>("bits", "bit", "Size of the tensor."),
    required_field<&Exchange::from>("from", "", "The node that writes it, counted from 0 in the graph."),
    required_field<&Exchange::to>("to", "", "A node that reads it, on the same core."),
    required_field<&Exchange::operand>("operand", "", "As which operand, by its position in the equation."),
    required_field<&Exchange::core>("core", "", "Id of the core that runs both."),
    formerly("home", required_field<&Exchange::memory>(
                         "memory", "", "The memory where it stays, counted from 0 in those of the core."))};
FieldIndex exchange_index;
constexpr Type exchange_type = object_type<Exchange>(
    "exchange", "A tensor that stays between two nodes in a memory below the topmost ones of their core.",
    exchange_fields, exchange_index);

constexpr Field memory_trace_fields[] = {
    field<&MemoryTrace::memory>("memory", "", "Counted from 0 in the accelerator's top memories."),
    field<&MemoryTrace::bits>("bits", "bit", "Pairs of cycle and bits in use from then on, ascending."),
    field<&MemoryTrace::peak>("peak", "bit", "Most that is in use."),
    field<&MemoryTrace::peak_time>("peak_time", "cycle", "First cycle at the peak."),
    field<&MemoryTrace::last>("last", "bit", "In use at the end.")};
FieldIndex memory_trace_index;
constexpr Type memory_trace_type = object_type<MemoryTrace>(
    "memory_trace", "Use of one top memory over time.", memory_trace_fields, memory_trace_index);

constexpr Field schedule_fields[] = {
    required_field<&Schedule::accelerator>("accelerator", "", "The cores and what joins them."),
    required_field<&Schedule::graph>("graph", "", "The computation nodes and their tensors."),
    required_field<&Schedule::costs>("costs", "", "What a node of each layer costs on each core."),
    required_field<&Schedule::latency>("latency", "cycle", "The end of the last node and transfer."),
    required_field<&Schedule::energy>("energy", "pJ", "The sum of energy_terms."),
    required_field<&Schedule::energy_terms>("energy_terms", "pJ", "Energy by what it is spent on."),
    required_field<&Schedule::nodes>("nodes", "",
                                     "The nodes in time, in the order in which they were placed."),
    required_field<&Schedule::transfers>("transfers", "",
                                         "Transfers, in the order in which they were decided."),
    field<&Schedule::blocks>("blocks", "", "Reservations of off-chip links for streamed operands."),
    field<&Schedule::removals>("removals", "", "Tensors that leave memories."),
    field<&Schedule::exchanges>("exchanges", "", "Tensors that stay inside of a core between two nodes."),
    field<&Schedule::memory>("memory", "", "Use of the top memories over time."),
    field<&Schedule::genes>("genes", "", "Pairs of layer id and group that had a choice of cores."),
    field<&Schedule::allocation>("allocation", "", "The core that each of these was given."),
    field<&Schedule::latency_bound>("latency_bound", "cycle",
                                    "No schedule of this graph and these costs is shorter; in the steady "
                                    "state no period."),
    field<&Schedule::rules>("rules", "", "Version of Stream whose defects were reproduced, or empty."),
    field<&Schedule::dispatch>("dispatch", "", "Rule by which the next node was chosen."),
    field<&Schedule::critical_path_weight>("critical_path_weight", "",
                                           "Weight of the rule critical_path; 0 with other rules."),
    field<&Schedule::back_filling>("back_filling", "",
                                   "Whether nodes could use gaps that earlier ones left on their core."),
    field<&Schedule::samples_at_once>("samples_at_once", "",
                                      "How many samples could be in flight at once; 0: all."),
    field<&Schedule::segments>("segments", "",
                               "Layers of the graph, by their index, at which segments of a batch begin."),
    field<&Schedule::period>("period", "cycle",
                             "After which the schedule begins again with the next samples; 0: never."),
    field<&Schedule::resident>(
        "resident", "", "Layers of the graph, by their index, whose constants stay from repeat to repeat."),
    field<&Schedule::fill>("fill", "", "The transfers that bring these there before the first repeat."),
    field<&Schedule::layer_ranks>(
        "layer_ranks", "",
        "Pairs of offset and slope for each layer of the graph, where the ranks of "
        "nodes followed from them.")};
FieldIndex schedule_index;

constexpr Type schedule_type = object_type<Schedule>(
    "schedule", "A network on several cores, cycle by cycle.", schedule_fields, schedule_index, "",
    [](const void* object) { check_positions(*static_cast<const Schedule*>(object)); });

}  // namespace

template <>
const Type* type_of<ScheduledNode>() {
  return &scheduled_node_type;
}
template <>
const Type* type_of<Transfer>() {
  return &transfer_type;
}
template <>
const Type* type_of<StreamBlock>() {
  return &stream_block_type;
}
template <>
const Type* type_of<Removal>() {
  return &removal_type;
}
template <>
const Type* type_of<Exchange>() {
  return &exchange_type;
}
template <>
const Type* type_of<MemoryTrace>() {
  return &memory_trace_type;
}
template <>
const Type* type_of<Schedule>() {
  return &schedule_type;
}

}  // namespace zz::core
