#include <algorithm>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/schema/checks.hpp"
#include "core/schema/keys.hpp"
#include "core/schema/types.hpp"
#include "core/value/object.hpp"
#include "core/value/reflect.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/layer_check.hpp"

namespace zz::core {
namespace {

/// A computed map from the operands of a layer (by their names) to what `show` makes of (layer, position).
/// Its word is the layer.
template <auto show>
struct PerOperand {
  static const Layer& layer_at(std::uint64_t word) { return object_at<Layer>(word); }

  static constexpr Type type{
      .kind = Kind::map,
      .count =
          [](std::uint64_t word) { return static_cast<std::uint32_t>(layer_at(word).operands.size()); },
      .at =
          [](std::uint64_t word, std::uint32_t index, std::string_view& key) {
            key = layer_at(word).operands[index].name;
            return show(layer_at(word), static_cast<int>(index));
          },
      .get =
          [](std::uint64_t word, Name key) {
            const Layer& layer = layer_at(word);
            const std::string_view name = text_of(key);
            for (std::size_t i = 0; i < layer.operands.size(); ++i)
              if (layer.operands[i].name == name) return show(layer, static_cast<int>(i));
            return missing(key);
          },
      .clone = clone_object<Layer>};

  static Ref of(const Layer& layer) { return {word_of(&layer), &type}; }
};

constexpr Field loop_dimension_fields[] = {
    required_field<&LoopDimension::name>("name", "", "Name of the loop, in capitals."),
    required_field<&LoopDimension::size>("size", "", "Number of iterations."),
    field<&LoopDimension::sequential>(
        "sequential", "",
        "Whether each iteration needs the results of the one before, as recurrent steps do.")};
FieldIndex loop_dimension_index;
constexpr Type loop_dimension_type =
    object_type<LoopDimension>("loop_dimension", "One loop of a layer's loop nest.", loop_dimension_fields,
                               loop_dimension_index, "name");

constexpr Field dimension_relation_fields[] = {
    required_field<&DimensionRelation::data>("data", "",
                                             "Data dimension that two loops walk together, as IX."),
    field<&DimensionRelation::stride>("stride", "",
                                      "Elements that one iteration of the output loop moves on."),
    required_field<&DimensionRelation::output_loop>("output_loop", "",
                                                    "Loop over output positions, as OX."),
    field<&DimensionRelation::dilation>("dilation", "",
                                        "Elements that one iteration of the filter loop moves on."),
    required_field<&DimensionRelation::filter_loop>("filter_loop", "", "Loop over the filter, as FX."),
    required_field<&DimensionRelation::size>("size", "",
                                             "Elements of the whole data dimension, padding left out."),
    field<&DimensionRelation::padding_low>("padding_low", "", "Padding elements before the first one."),
    field<&DimensionRelation::padding_high>("padding_high", "", "Padding elements after the last one."),
    field<&DimensionRelation::has_padding>("has_padding", "", "Whether padding was given at all.")};
FieldIndex dimension_relation_index;
constexpr Type dimension_relation_type =
    object_type<DimensionRelation>("dimension_relation", "How two loops address one data dimension.",
                                   dimension_relation_fields, dimension_relation_index, "data");

constexpr Field layer_operand_fields[] = {
    required_field<&LayerOperand::name>("name", "", "Name of the tensor, as O, W, I."),
    required_field<&LayerOperand::dimensions>("dimensions", "", "Dimensions that address it, in capitals."),
    required_field<&LayerOperand::precision>("precision", "bit",
                                             "Size of an element; of the output: of a partial sum."),
    field<&LayerOperand::constant>("constant", "", "Whether no layer produces it, as weights."),
    field<&LayerOperand::sources>("sources", "", "Ids of the layers that produce it."),
    sparse_field<&LayerOperand::scale>("scale", "",
                                       "Of numbers in blocks; of the output: of partial sums."),
    field<&LayerOperand::offchip_elements>("offchip_elements", "",
                                           "Elements that no layer produces although others do, as cached "
                                           "keys.")};
FieldIndex layer_operand_index;
constexpr Type layer_operand_type = object_type<LayerOperand>(
    "layer_operand", "One tensor of a layer.", layer_operand_fields, layer_operand_index, "name");

Ref show_elements(const Layer& layer, int operand) { return reflect(layer.operand_elements(operand, {})); }
Ref show_bits(const Layer& layer, int operand) { return reflect(layer.operand_bits(operand, {})); }
Ref show_memory_operand(const Layer& layer, int operand) { return reflect(layer.memory_operand(operand)); }

constexpr Field layer_fields[] = {
    required_field<&Layer::id>("id", "", "Number of the layer in its workload."),
    field<&Layer::name>("name", "", "Name of the layer."),
    required_field<&Layer::type>("type", "", "Operator type, as Conv."),
    required_field<&Layer::equation>("equation", "",
                                     "What one iteration computes, as O[b][k] = W[k][c] * I[b][c]."),
    required_field<&Layer::loops>("loops", "", "The loop nest without an order."),
    field<&Layer::relations>("relations", "", "Data dimensions that two loops address together."),
    required_field<&Layer::operands>(
        "operands", "", "The tensors: the output, then the inputs in the order of the equation."),
    field<&Layer::source_order>("source_order", "",
                                "Positions of the inputs with a known source, in the order of the file."),
    required_field<&Layer::final_output_precision>("final_output_precision", "bit",
                                                   "Size of a finished output element."),
    sparse_field<&Layer::final_output_scale>("final_output_scale", "", "Of finished outputs in blocks."),
    field<&Layer::assumed_precision>("assumed_precision", "",
                                     "Operands and O_final, as far as nobody said their bits: those of the "
                                     "accelerator's units come before them."),
    sparse_field<&Layer::assumed_scales>(
        "assumed_scales", "",
        "Operands and O_final whose blocks only the network's file says: where units take other numbers, "
        "their scales do not count."),
    sparse_field<&Layer::sparsity>("sparsity", "", "Zeros of its operands."),
    field<&Layer::vector_work>("vector_work", "",
                               "Whether it works on elements, as activations do: no multiply-accumulates."),
    field<&Layer::mapping>("mapping", "", "What the mapping file says about this layer."),
    derived<Layer>("mac_count", "", "Multiply-accumulates of the whole layer.",
                   [](const Layer& layer) { return layer.mac_count(); }),
    derived<Layer>("operand_elements", "", "Elements of each whole tensor, by operand, each counted once.",
                   [](const Layer& layer) { return PerOperand<show_elements>::of(layer); }),
    derived<Layer>("operand_bits", "bit", "Size of each whole tensor, by operand.",
                   [](const Layer& layer) { return PerOperand<show_bits>::of(layer); }),
    derived<Layer>("memory_operands", "", "Memory operand that each operand is assigned to.",
                   [](const Layer& layer) { return PerOperand<show_memory_operand>::of(layer); })};
FieldIndex layer_index;

void validate_layer(const void* object) {
  const Layer& layer = *static_cast<const Layer*>(object);
  const auto refuse = [&](const std::vector<LayerProblem>& problems) {
    if (problems.empty()) return;
    const LayerProblem& first = problems.front();
    std::string place = "layer";
    if (first.part == LayerProblem::Part::operand)
      place += ".operands[" + layer.operands[first.index].name + "]";
    else if (first.part != LayerProblem::Part::whole)
      place += ".loops[" + layer.loops[first.index].name + "]";
    throw ValueError(ValueError::Problem::invalid,
                     place + ": " + first.what + (first.hint.empty() ? "" : " (" + first.hint + ")"));
  };
  refuse(loop_problems(layer));
  if (layer.operands.size() < 2)
    throw ValueError(ValueError::Problem::invalid,
                     "layer.operands: must be an output and at least one input, there are " +
                         std::to_string(layer.operands.size()));
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    if (layer.operand_index(layer.operands[i].name) < static_cast<int>(i))
      throw ValueError(ValueError::Problem::invalid,
                       "layer.operands[" + layer.operands[i].name + "]: stands twice");
  // Input files give 0 bits to operands that do not exist, as the weights of an addition.
  for (const LayerOperand& operand : layer.operands)
    require_not_negative(static_cast<double>(operand.precision),
                         "layer.operands[" + operand.name + "].precision",
                         std::to_string(operand.precision));
  for (const DimensionRelation& relation : layer.relations) {
    const std::string place = "layer.relations[" + relation.data + "]";
    require_positive(relation.stride, place + ".stride");
    require_positive(relation.dilation, place + ".dilation");
    require_positive(relation.size, place + ".size");
    for (const std::string& loop : {relation.output_loop, relation.filter_loop})
      if (layer.loop_index(loop) < 0)
        throw ValueError(ValueError::Problem::invalid,
                         place + ": '" + loop + "' is not a loop of the layer");
  }
  refuse(operand_problems(layer));
}

constexpr Type layer_type = object_type<Layer>(
    "layer", "One operator of a network, as a perfectly nested loop over multiply-accumulates.",
    layer_fields, layer_index, "name", validate_layer);

}  // namespace

template <>
const Type* type_of<LoopDimension>() {
  return &loop_dimension_type;
}
template <>
const Type* type_of<DimensionRelation>() {
  return &dimension_relation_type;
}
template <>
const Type* type_of<LayerOperand>() {
  return &layer_operand_type;
}
template <>
const Type* type_of<Layer>() {
  return &layer_type;
}

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
    field<&UncostedNode::mac_count>("mac_count", "", "Multiply-accumulates; null when nobody knows.")};
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

namespace {

constexpr Field outer_loop_fields[] = {
    field<&NodeLoop::loop>("loop", "", "Position of the loop in its layer."),
    field<&NodeLoop::count>("count", "", "Into how many pieces it is cut."),
    field<&NodeLoop::spread>("spread", "",
                             "Whether pieces with the same weights may run on several cores."),
    field<&NodeLoop::lockstep>("lockstep", "",
                               "Whether what they read alike comes to all of these in one transfer.")};
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
    field<&CutLayer::samples>("samples", "", "How many samples each of its nodes is of."),
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
    field<&ComputationNodeGraph::samples>("samples", "",
                                          "How often the network runs, with constants that are shared."),
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
