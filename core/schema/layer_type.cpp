#include "core/schema/checks.hpp"
#include "core/schema/keys.hpp"
#include "core/schema/per_operand.hpp"
#include "core/schema/types.hpp"
#include "core/workload/layer_check.hpp"

namespace zz::core {
namespace {

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
    field<&DimensionRelation::size>("size", "", "Elements of the whole data dimension, padding left out."),
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

}  // namespace zz::core
