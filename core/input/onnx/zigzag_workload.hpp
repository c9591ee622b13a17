#pragma once
#include "core/compat/rules.hpp"
#include "core/input/onnx/network.hpp"
#include "core/input/onnx/onnx_settings.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::onnx_import {

/// The workload that ZigZag makes of a network that was evaluated as ZigZag does: Conv, QLinearConv, MatMul
/// and Gemm are layers with their entry of `mapping`, every other node is a pass-through node with its
/// first two sources. Ids are those of the nodes.
Workload zigzag_workload_of(const Network& network, const MappingFile& mapping,
                            const OnnxSettings& settings, const Rules& rules, const SourceMark& mark,
                            Diagnostics& diagnostics);

}  // namespace zz::core::onnx_import
