#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/input/onnx/network.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/workload/layer.hpp"

// The layers of one node of a network: its products, pooling, and other work on elements.
namespace zz::core::onnx_import {

/// Bits per element of the operands of a layer.
struct OperandBits {
  std::int64_t weight = 0, input = 0, partial_sum = 0, result = 0;
  std::vector<std::string> assumed = {};  ///< Layer::assumed_precision
  BlockScale weight_scale = {}, input_scale = {};
};

/// The bits with the node's attributes `weight_size`, `act_size` (input and result; partial sums twice as
/// many) and `output_size` (partial sums) in their place. Throws NodeProblem when one is no number of bits.
OperandBits with_attributes(OperandBits bits, const OperatorNode& node);

/// The loop nest as a layer, without id, sources and mapping.
Layer make_layer(const std::string& name, const std::string& type, const Product& product,
                 const OperandBits& bits);

/// Throws NodeProblem when the layer passes a limit of layer_check.hpp.
void check_counts(const Layer& layer);

/// Bits of an element of each tensor as it is written to memory: those of QuantizeLinear where nothing else
/// reads it, else those of its type.
std::vector<std::int64_t> written_bits(const Network& network);

/// The layer of one product of a node, without id, sources and mapping. Bits per element follow the types
/// of the tensors as they are kept in memory; partial sums have 32 bits, or 64 for float64. Attributes
/// of the node count before the types (with_attributes()), and `settings` before both. Throws NodeProblem.
Layer layer_of_product(const Network& network, const NetworkNode& node, const Product& product,
                       const std::vector<std::int64_t>& written_bits, const OnnxSettings& settings);

/// Tensors of which blocks that DequantizeLinear has are along no loop of the product, as far as that
/// follows: their scales are not in its layer.
std::vector<std::string> blocks_not_followed(const Network& network, const NetworkNode& node,
                                             const Product& product);

/// Largest, average and other pooling over windows or over the whole image.
bool is_pooling(const OperatorNode& node);

/// Pooling as the loop nest B, K, OX, OY, FX, FY (and OZ, FZ) with weights of no bits: what moves is the
/// input, and each output combines a window of it. Input of the operator: 0. Throws NodeProblem.
Layer pooling_layer(const OperatorNode& node, std::int64_t result_bits, const OnnxSettings& settings);

/// Add and Mul of two tensors of one shape.
bool is_sum_or_product_of_alike(const OperatorNode& node);

/// A loop nest over elements, and which inputs of the operator its operands are.
struct VectorLayer {
  Layer layer;
  int weight_input = -1;  ///< of operand W; -1: it has no bits
  int data_input = 0;     ///< of operand I
};

/// An operator that works on elements or rows as a layer: one operation for each element of the result, or
/// for each element that is summed up. `carried` says of each input whether a layer computes it. Loops are
/// called OX; OX, OY; B, OX, OY; B, K, OX, OY by the number of axes, of which leading ones are one loop
/// when there are more; of a reduction K and C.
///
/// Nothing for other operators. Throws NodeProblem.
std::optional<VectorLayer> vector_layer(const OperatorNode& node, const std::vector<bool>& carried,
                                        std::int64_t result_bits, const OnnxSettings& settings);

}  // namespace zz::core::onnx_import
