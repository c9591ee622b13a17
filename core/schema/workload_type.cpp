#include "core/schema/keys.hpp"
#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field shape_change_fields[] = {
    field<&ShapeChange::kind>("kind", "",
                              "none, reshape, transpose, flatten, gather, concat, view, pad, rows or all."),
    field<&ShapeChange::shape>("shape", "", "Shape of the result; not for transpose, flatten, all."),
    field<&ShapeChange::indices>("indices", "",
                                 "Transpose: the permutation, empty: reversed. Gather: what is taken. "
                                 "Concat: where the data of each source begin. View: elements between "
                                 "neighbours along each axis. Pad: where the data begin along each axis."),
    field<&ShapeChange::axis>("axis", "",
                              "Flatten, gather, concat: the axis that is meant. Rows: their first axis."),
    field<&ShapeChange::first>("first", "", "View: the element of the data that comes first."),
    field<&ShapeChange::from>("from", "",
                              "Shape in which the operator reads its data; empty: as they were written.")};
FieldIndex shape_change_index;
constexpr Type shape_change_type =
    object_type<ShapeChange>("shape_change", "What an operator without cost does to the shape of its data.",
                             shape_change_fields, shape_change_index);

constexpr Field pass_through_node_fields[] = {
    required_field<&PassThroughNode::id>("id", "", "Number of the node in its workload."),
    field<&PassThroughNode::name>("name", "", "Name of the node."),
    required_field<&PassThroughNode::type>("type", "", "Operator type in small letters."),
    field<&PassThroughNode::sources>("sources", "", "Ids of the nodes before it."),
    field<&PassThroughNode::output_elements>("output_elements", "",
                                             "Elements that it writes, 0 when unknown."),
    field<&PassThroughNode::shape_change>("shape_change", "", "What it does to the shape of its data.")};
FieldIndex pass_through_node_index;
constexpr Type pass_through_node_type = object_type<PassThroughNode>(
    "pass_through_node", "An operator that is kept for connectivity but has no cost.",
    pass_through_node_fields, pass_through_node_index, "name");

constexpr Field uncosted_node_fields[] = {
    required_field<&UncostedNode::name>("name", "", "Name of the node."),
    required_field<&UncostedNode::type>("type", "", "Operator type."),
    field<&UncostedNode::reason>("reason", "", "Why it has no cost."),
    field<&UncostedNode::mac_count>("mac_count", "", "Multiply-accumulates, as far as they are known.")};
FieldIndex uncosted_node_index;
constexpr Type uncosted_node_type = object_type<UncostedNode>(
    "uncosted_node", "An operator that multiplies, or may do so, and has no cost.", uncosted_node_fields,
    uncosted_node_index, "name");

constexpr Field workload_fields[] = {
    field<&Workload::name>("name", "", "Name of the file without its ending."),
    required_field<&Workload::layers>("layers", "", "The layers in the order of the file."),
    field<&Workload::pass_through>("pass_through", "", "Nodes without cost, in the order of the file."),
    field<&Workload::uncosted>("uncosted", "", "Nodes without cost that multiply, or may do so."),
    field<&Workload::edges>("edges", "", "Pairs of ids: producer and consumer."),
    required_field<&Workload::node_order>("node_order", "", "Ids of all nodes in the order of the file.")};
FieldIndex workload_index;
constexpr Type workload_type = object_type<Workload>(
    "workload", "A network: layers and nodes without cost, with the data that flows between them.",
    workload_fields, workload_index, "name", [](const void* object) {
      const std::string problem = workload_problem(*static_cast<const Workload*>(object));
      if (!problem.empty()) throw ValueError(ValueError::Problem::invalid, problem);
    });

}  // namespace

template <>
const Type* type_of<ShapeChange>() {
  return &shape_change_type;
}
template <>
const Type* type_of<PassThroughNode>() {
  return &pass_through_node_type;
}
template <>
const Type* type_of<UncostedNode>() {
  return &uncosted_node_type;
}
template <>
const Type* type_of<Workload>() {
  return &workload_type;
}

}  // namespace zz::core
