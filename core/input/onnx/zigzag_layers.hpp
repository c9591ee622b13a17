#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/input/onnx/layer_of_product.hpp"
#include "core/input/onnx/network.hpp"
#include "core/input/onnx/operators/windows.hpp"
#include "core/workload/layer.hpp"

// The layers that ZigZag and Stream make of a network: evaluate_as_zigzag(). An element has 8 bits, and 16
// in a partial sum, unless the attributes `weight_size`, `act_size` and `output_size` of the node say
// otherwise.
namespace zz::core::onnx_import {

/// The bits of ZigZag. Throws NodeProblem for attributes that are no number of bits.
OperandBits zigzag_bits(const OperatorNode& node);

/// The full shape of a tensor; its first axis is 1 where it is unknown. Throws NodeProblem for any other
/// length that is unknown or 0.
Shape zigzag_shape(const Tensor& tensor);

/// Elements of all outputs of a node; an unknown first axis counts 1, a tensor of unknown shape nothing.
std::int64_t zigzag_output_elements(const OperatorNode& node);

/// The nodes that produce the inputs of a node, in their order; inputs that no node produces (weights,
/// inputs of the network) are left out.
std::vector<std::int64_t> predecessors_of(const Network& network, const NetworkNode& node);

/// The windows of a convolution or pooling over an image of that shape; padding that is automatic is none.
/// Throws NodeProblem.
std::vector<MovingWindow> zigzag_windows(const OperatorNode& node, const Shape& image, const Shape& kernel);

/// Throws NodeProblem unless images have one or two spatial axes, and as many before and after.
void check_image_shapes(const Shape& input, const Shape& output);

/// Conv and QLinearConv as the loop nest B, K, G, OX, OY, C, FX, FY. Channels follow from the shapes of
/// input and output. The first (height) value of kernel, strides, dilations and padding goes to X and the
/// second to Y. Throws NodeProblem.
Layer zigzag_convolution(const std::string& name, const OperatorNode& node);

/// Gemm and MatMul as the loop nest C, D, K (summed axis, rows, columns), with B for the batch axis of
/// tensors of three axes, and B and H for the two of four axes. Weights that are computed have batch axes
/// as well and the precision of activations. Throws NodeProblem.
Layer zigzag_product(const std::string& name, const OperatorNode& node, bool computed_weights);

}  // namespace zz::core::onnx_import
