#include "core/input/onnx/zigzag_workload.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/input/onnx/workload_builder.hpp"
#include "core/input/onnx/zigzag_layers.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"

namespace zz::core::onnx_import {
namespace {

bool is_convolution(const std::string& type) { return type == "Conv" || type == "QLinearConv"; }
bool is_mapped(const std::string& type) {
  return is_convolution(type) || type == "MatMul" || type == "Gemm";
}

bool holds_mapped_operators(const onnx::GraphProto& graph) {
  return std::any_of(graph.node().begin(), graph.node().end(), [](const onnx::NodeProto& node) {
    return is_mapped(node.op_type()) ||
           std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& attribute) {
             return attribute.has_g() && holds_mapped_operators(attribute.g());
           });
  });
}

/// Without predecessors both inputs are constant; with one, W is; with two, the first feeds I and the
/// second W.
void connect(Layer& layer, const std::vector<std::int64_t>& predecessors) {
  LayerOperand& input = layer.operands[static_cast<std::size_t>(layer.operand_index("I"))];
  LayerOperand& weight = layer.operands[static_cast<std::size_t>(layer.operand_index("W"))];
  input.constant = predecessors.empty();
  weight.constant = predecessors.size() < 2;
  if (!predecessors.empty()) input.sources = {predecessors[0]};
  if (predecessors.size() == 2) weight.sources = {predecessors[1]};
  layer.source_order = {layer.operand_index("W"), layer.operand_index("I")};
}

class ZigzagWorkloadMaker {
 public:
  ZigzagWorkloadMaker(const Network& network, const OnnxReading& reading)
      : network_(network), reading_(reading), mapping_(reading.mapping) {}

  Workload make() {
    for (const NetworkNode& node : network_.nodes) {
      const std::vector<std::int64_t> predecessors = predecessors_of(network_, node);
      if (is_mapped(node.proto->op_type()))
        add_layer(node, predecessors);
      else
        add_pass_through(node, predecessors);
    }
    return made_.take();
  }

 private:
  void add_layer(const NetworkNode& node, const std::vector<std::int64_t>& predecessors) {
    try {
      if (predecessors.size() > 2)
        throw NodeProblem(
            fmt::format("{} of its inputs are produced by other nodes, at most 2 can be",
                        predecessors.size()),
            "fold nodes that compute constants (biases, scales) into initializers before exporting");
      const OperatorNode view = network_.view(node);
      Layer layer = is_convolution(view.op_type())
                        ? zigzag_convolution(node.name, view)
                        : zigzag_product(node.name, view, predecessors.size() == 2);
      connect(layer, predecessors);
      for (const auto& [operand, bits] : reading_.settings.operand_precision)
        set_precision(layer, operand, bits);
      layer.id = node.id;
      select_mapping(layer, mapping_, reading_.rules, reading_.mark, reading_.diagnostics);
      made_.add_edges(predecessors, node.id);
      made_.add_layer(std::move(layer));
    } catch (const NodeProblem& problem) {
      reading_.diagnostics.error(reading_.mark,
                                 fmt::format("node '{}' ({}): {}", node.name, node.op_type, problem.what()),
                                 problem.hint());
      made_.skip_id();
    }
  }

  void add_pass_through(const NetworkNode& node, std::vector<std::int64_t> sources) {
    for (const auto& attribute : node.proto->attribute())
      if (attribute.has_g() && holds_mapped_operators(attribute.g()))
        reading_.diagnostics.warning(
            reading_.mark,
            fmt::format("node '{}' ({}): the layers inside its {} are left out of the estimate", node.name,
                        node.op_type, attribute.name()));
    constexpr std::size_t most_recorded = 2;
    sources.resize(std::min(sources.size(), most_recorded));
    const OperatorNode view = network_.view(node);
    made_.add_node(node.name, view.op_type(), {}, std::move(sources), zigzag_output_elements(view));
  }

  const Network& network_;
  const OnnxReading& reading_;
  const MappingSelection mapping_;
  WorkloadBuilder made_;
};

}  // namespace

Workload zigzag_workload_of(const Network& network, const OnnxReading& reading) {
  return ZigzagWorkloadMaker(network, reading).make();
}

}  // namespace zz::core::onnx_import
