#include <algorithm>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/schema/types.hpp"
#include "core/value/object.hpp"

namespace zz::core {
namespace {

constexpr Field outer_loop_fields[] = {
    field<&NodeLoop::loop>("loop", "", "Position of the loop in its layer."),
    field<&NodeLoop::count>("count", "", "Into how many pieces it is cut."),
    field<&NodeLoop::spread>("spread", "",
                             "Whether pieces with the same weights may run on several cores.")};
FieldIndex outer_loop_index;
constexpr Type outer_loop_type = object_type<NodeLoop>(
    "outer_loop", "A loop over the computation nodes of a layer.", outer_loop_fields, outer_loop_index);

constexpr Field smaller_piece_fields[] = {
    field<&SmallerPiece::piece>("tile", "", "One of these nodes as a layer."),
    field<&SmallerPiece::node_count>("node_count", "", "How many nodes have this shape.")};
FieldIndex smaller_piece_index;
constexpr Type smaller_piece_type =
    object_type<SmallerPiece>("smaller_tile", "Nodes that are smaller than others because a loop ends.",
                              smaller_piece_fields, smaller_piece_index);

constexpr Field cut_layer_fields[] = {
    field<&CutLayer::layer>("layer", "", "The whole layer; under `compat` with loops perhaps enlarged."),
    field<&CutLayer::piece>("tile", "", "The largest node as a layer: what a cost model is asked for."),
    field<&CutLayer::smaller_pieces>("smaller_tiles", "",
                                     "The other shapes of nodes, those where a loop ends."),
    field<&CutLayer::outer_loops>("outer_loops", "", "The loops that are cut, innermost first."),
    field<&CutLayer::loop_sizes>("loop_sizes", "", "Sizes of the layer's loops before they were enlarged."),
    field<&CutLayer::constants>("constants", "",
                                "Positions of the constant operands, in the order of the file."),
    field<&CutLayer::first_node>("first_node", "", "Position of its first node in the graph."),
    field<&CutLayer::node_count>("node_count", "", "Number of its nodes."),
    field<&CutLayer::group_count>("group_count", "", "Number of its groups.")};
FieldIndex cut_layer_index;
constexpr Type cut_layer_type = object_type<CutLayer>(
    "tiled_layer", "A layer and how it is cut into computation nodes.", cut_layer_fields, cut_layer_index);

constexpr Field piece_tensor_fields[] = {
    field<&PieceTensor::layer>("layer", "", "Position of its layer in the graph."),
    field<&PieceTensor::operand>("operand", "", "Position of the operand in its layer."),
    field<&PieceTensor::first_node>("first_node", "", "Position of the first node that has it."),
    field<&PieceTensor::bits>("bits", "bit", "Size."),
    field<&PieceTensor::base_priority>("base_priority", "",
                                       "How often it is used; -1 for inputs from other layers.")};
FieldIndex piece_tensor_index;
constexpr Type piece_tensor_type =
    object_type<PieceTensor>("tile_tensor", "A piece of data that is moved and stored as a whole.",
                             piece_tensor_fields, piece_tensor_index);

using OperandTensors = decltype(ComputationNode::tensors);

constexpr Type operand_tensors_type{
    .kind = Kind::list,
    .count = [](std::uint64_t) { return static_cast<std::uint32_t>(most_operands); },
    .at = [](std::uint64_t word, std::uint32_t index,
             std::string_view&) { return reflect(object_at<OperandTensors>(word)[index]); }};

Ref get_tensors(const void* object) {
  return {word_of(&static_cast<const ComputationNode*>(object)->tensors), &operand_tensors_type};
}

void edit_tensors(EditSession& session, void* object, Steps steps, const Value* value, const Where& where) {
  OperandTensors& tensors = static_cast<ComputationNode*>(object)->tensors;
  std::vector<int> list(tensors.begin(), tensors.end());
  edit_part(session, list, steps, value, where);
  if (list.size() != tensors.size())
    fail(where, ValueError::Problem::invalid,
         "needs " + std::to_string(tensors.size()) + " entries, -1 where there is no tensor");
  std::copy(list.begin(), list.end(), tensors.begin());
}

constexpr Field computation_node_fields[] = {
    field<&ComputationNode::layer>("layer", "", "Position of its layer in the graph."),
    field<&ComputationNode::sub_id>("sub_id", "", "Its number within the layer."),
    field<&ComputationNode::group>("group", "",
                                   "Nodes of a layer with the same group run on the same core."),
    field<&ComputationNode::shape>("shape", "",
                                   "0: that of `tile` of its layer; else 1 and more: of `smaller_tiles`."),
    field<&ComputationNode::final_output>("final_output", "", "It finishes its outputs."),
    field<&ComputationNode::produced_bits>("produced_bits", "bit", "What it writes."),
    {"tensors", "", "Positions of its tensors in the graph, by operand; -1 for none.", get_tensors,
     edit_tensors}};
FieldIndex computation_node_index;
constexpr Type computation_node_type =
    object_type<ComputationNode>("computation_node", "A piece of a layer that is scheduled on its own.",
                                 computation_node_fields, computation_node_index);

constexpr Field dependency_fields[] = {
    field<&Dependency::from>("from", "", "Position of the node that must be finished."),
    field<&Dependency::to>("to", "", "Position of the node that waits for it."),
    field<&Dependency::operand>("operand", "",
                                "Operand of the waiting node that the data are for; -1: order in a group."),
    field<&Dependency::bits>("bits", "bit", "What is passed on.")};
FieldIndex dependency_index;
constexpr Type dependency_type = object_type<Dependency>("dependency", "A node that waits for another one.",
                                                         dependency_fields, dependency_index);

constexpr Field computation_node_graph_fields[] = {
    field<&ComputationNodeGraph::name>("name", "", "Name of the network."),
    field<&ComputationNodeGraph::layers>("layers", "", "Its layers, by ascending id."),
    field<&ComputationNodeGraph::nodes>("nodes", "", "The nodes, layer by layer."),
    field<&ComputationNodeGraph::tensors>("tensors", "", "What the nodes read and write, layer by layer."),
    field<&ComputationNodeGraph::dependencies>("dependencies", "", "Which node waits for which."),
    field<&ComputationNodeGraph::node_order>(
        "node_order", "", "Positions of the nodes by layer as the data flow, then group."),
    derived<ComputationNodeGraph>(
        "topological_order", "", "Positions of the nodes, each after all that it waits for.",
        [](const ComputationNodeGraph& graph) { return reflect(graph.topological_order); })};
FieldIndex computation_node_graph_index;

/// Edits a field and derives again what follows from the fields. Between the edits of one call the fields
/// may contradict each other; the check at the end reports it.
void edit_and_index(EditSession& session, void* object, Steps steps, const Value* value,
                    const Where& where) {
  edit_object(*type_of<ComputationNodeGraph>(), session, object, steps, value, where);
  auto& graph = *static_cast<ComputationNodeGraph*>(object);
  try {
    check_graph(graph);
    graph.index();
  } catch (const InputError&) {
    return;
  }
}

constexpr Type indexed_after_edits(Type type) {
  type.edit = edit_and_index;
  return type;
}

constexpr Type computation_node_graph_type = indexed_after_edits(object_type<ComputationNodeGraph>(
    "computation_node_graph", "A network cut into computation nodes, and what depends on what.",
    computation_node_graph_fields, computation_node_graph_index, "name", [](const void* object) {
      const auto& graph = *static_cast<const ComputationNodeGraph*>(object);
      check_graph(graph);
      ComputationNodeGraph(graph).index();
    }));

}  // namespace

template <>
const Type* type_of<NodeLoop>() {
  return &outer_loop_type;
}
template <>
const Type* type_of<SmallerPiece>() {
  return &smaller_piece_type;
}
template <>
const Type* type_of<CutLayer>() {
  return &cut_layer_type;
}
template <>
const Type* type_of<PieceTensor>() {
  return &piece_tensor_type;
}
template <>
const Type* type_of<ComputationNode>() {
  return &computation_node_type;
}
template <>
const Type* type_of<Dependency>() {
  return &dependency_type;
}
template <>
const Type* type_of<ComputationNodeGraph>() {
  return &computation_node_graph_type;
}

}  // namespace zz::core
