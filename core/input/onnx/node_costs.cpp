#include "core/input/onnx/node_costs.hpp"

#include "core/input/onnx/layer_of_product.hpp"

namespace zz::core::onnx_import {
namespace {

void add_products(const Network& network, const NetworkNode& node, const std::vector<std::int64_t>& written,
                  NodeCost& cost) {
  for (const Product& product : network.products(node)) {
    for (const ProductOperand* operand : {&product.input, &product.weight})
      if (operand->input >= 0 && operand->bits > 0)
        cost.input_bits.at(static_cast<std::size_t>(operand->input)) = operand->bits;
    if (mac_count(product) > 0)
      cost.layers.push_back(layer_of_product(network, node, product, written, OnnxSettings()));
  }
}

}  // namespace

std::vector<NodeCost> node_costs(const Network& network) {
  const std::vector<std::int64_t> written = written_bits(network);
  std::vector<NodeCost> costs(network.nodes.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const NetworkNode& node = network.nodes[i];
    NodeCost& cost = costs[i];
    for (const std::int64_t input : node.inputs)
      cost.input_bits.push_back(input < 0 ? 0
                                          : network.tensors[static_cast<std::size_t>(input)].stored_bits);
    if (node.known == nullptr && node.answer == nullptr) {
      cost.problem = "the operator is unknown";
    } else {
      cost.macs = mac_count(network, node);
      try {
        add_products(network, node, written, cost);
      } catch (const NodeProblem& problem) {
        cost.layers.clear();
        cost.problem = problem.what();
      }
    }
  }
  return costs;
}

}  // namespace zz::core::onnx_import
