#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/input/onnx/onnx_settings.hpp"
#include "core/input/onnx/operator_node.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

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
