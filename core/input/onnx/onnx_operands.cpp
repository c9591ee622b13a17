#include "core/input/onnx/onnx_operands.hpp"

#include <fmt/format.h>
#include <limits>

#include "core/input/onnx/onnx_attributes.hpp"
#include "core/input/onnx/onnx_node_problem.hpp"

namespace zz::core::onnx_import {
namespace {

// Wider numbers than any hardware's; keeps products with element counts far from overflow.
constexpr std::int64_t widest_number = 4096;

std::int64_t read_bits(const GraphNode& node, const std::string& attribute, std::int64_t otherwise) {
  const std::int64_t bits = integer_attribute(*node.proto, attribute, otherwise);
  if (bits < 0 || bits > widest_number) {
    throw NodeProblem(fmt::format("the attribute '{}' is {}, expected are bits per element (0 to {})",
                                  attribute, bits, widest_number));
  }
  return bits;
}

}  // namespace

Precisions read_precisions(const GraphNode& node) {
  Precisions precisions;
  precisions.weight = read_bits(node, "weight_size", precisions.weight);
  precisions.activation = read_bits(node, "act_size", precisions.activation);
  precisions.partial_sum = read_bits(node, "output_size", 2 * precisions.activation);
  return precisions;
}

void connect_operands(Layer& layer, const GraphNode& node) {
  const std::vector<std::int64_t>& predecessors = node.predecessors;
  if (predecessors.size() > 2) {
    throw NodeProblem(
        fmt::format("{} of its inputs are produced by other nodes, at most 2 can be", predecessors.size()),
        "fold nodes that compute constants (biases, scales) into initializers before exporting");
  }
  LayerOperand& input = layer.operands[layer.operand_index("I")];
  LayerOperand& weight = layer.operands[layer.operand_index("W")];
  input.constant = predecessors.empty();
  weight.constant = predecessors.size() < 2;
  if (!predecessors.empty()) input.sources = {predecessors[0]};
  if (predecessors.size() == 2) weight.sources = {predecessors[1]};
  layer.source_order = {layer.operand_index("W"), layer.operand_index("I")};
}

void check_mac_count(const Layer& layer) {
  std::int64_t product = 1;
  for (const LoopDimension& loop : layer.loops) {
    if (product > std::numeric_limits<std::int64_t>::max() / loop.size) {
      throw NodeProblem("its number of multiply-accumulates exceeds the range of 64-bit integers",
                        "check the shapes of its tensors");
    }
    product *= loop.size;
  }
}

}  // namespace zz::core::onnx_import
