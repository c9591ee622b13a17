#pragma once
#include "core/input/onnx/network.hpp"
#include "core/input/onnx/onnx_reading.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::onnx_import {

/// The workload that ZigZag makes of a network that was evaluated as ZigZag does: Conv, QLinearConv, MatMul
/// and Gemm are layers with their entry of the mapping file, every other node is a pass-through node with
/// its first two sources. Ids are those of the nodes.
Workload zigzag_workload_of(const Network& network, const OnnxReading& reading);

}  // namespace zz::core::onnx_import
