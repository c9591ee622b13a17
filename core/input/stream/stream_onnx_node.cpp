#include "core/input/stream/stream_onnx_node.hpp"

namespace zz::core::onnx_import {

std::vector<std::int64_t> StreamNode::predecessors() const {
  std::vector<std::int64_t> found;
  for (const std::int64_t producer : producers) {
    if (producer != no_producer) found.push_back(producer);
  }
  return found;
}

void connect(Layer& layer, const std::vector<OperandProducer>& operands) {
  layer.source_order.clear();
  for (const auto& [name, producer] : operands) {
    const int index = layer.operand_index(name);
    LayerOperand& operand = layer.operands[static_cast<std::size_t>(index)];
    operand.constant = producer == StreamNode::no_producer;
    operand.sources.clear();
    if (!operand.constant) operand.sources.push_back(producer);
    layer.source_order.push_back(index);
  }
}

}  // namespace zz::core::onnx_import
