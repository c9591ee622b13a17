#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/input/onnx/network.hpp"
#include "core/input/onnx/onnx_settings.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// Bits per element of the operands of a layer.
struct OperandBits {
  std::int64_t weight = 0, input = 0, partial_sum = 0, result = 0;
};

/// The bits with the node's attributes `weight_size`, `act_size` (input and result; partial sums twice as
/// many) and `output_size` (partial sums) in their place. Throws NodeProblem when one is no number of bits.
OperandBits with_attributes(OperandBits bits, const OperatorNode& node);

/// The loop nest as a layer, without id, sources and mapping.
Layer make_layer(const std::string& name, const std::string& type, const Product& product,
                 const OperandBits& bits);

/// Throws NodeProblem when the layer passes a limit of layer_limits.hpp.
void check_counts(const Layer& layer);

/// Bits of an element of each tensor as it is written to memory: those of QuantizeLinear where nothing else
/// reads it, else those of its type.
std::vector<std::int64_t> written_bits(const Network& network);

/// The layer of one product of a node, without id, sources and mapping. Bits per element follow the types
/// of the tensors as they are kept in memory; partial sums have 32 bits, or 64 for float64. Attributes
/// of the node count before the types (with_attributes()), and `settings` before both. Throws NodeProblem.
Layer layer_of_product(const Network& network, const NetworkNode& node, const Product& product,
                       const std::vector<std::int64_t>& written_bits, const OnnxSettings& settings);

}  // namespace zz::core::onnx_import
