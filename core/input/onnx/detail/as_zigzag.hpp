#pragma once
#include "core/input/onnx/detail/workload_builder.hpp"
#include "core/input/onnx/network.hpp"

namespace zz::core::onnx_import {

/// The workload that ZigZag makes of a network that was evaluated as ZigZag does (evaluate_as_zigzag()):
/// Conv, QLinearConv, MatMul and Gemm are layers with their entry of the mapping file, every other node is
/// a pass-through node with its first two sources. Ids are those of the nodes.
Workload zigzag_workload_of(const Network& network, const OnnxReading& reading);

/// The same as Stream makes it: pooling, and Add and Mul of two tensors of one shape, are layers as well;
/// nodes without cost say what they do to the shape of their data. Operators without inputs (constants) are
/// left out.
Workload stream_workload_of(const Network& network, const OnnxReading& reading);

}  // namespace zz::core::onnx_import
