#pragma once
#include "core/input/onnx/network.hpp"
#include "core/input/onnx/onnx_reading.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::onnx_import {

/// A network for several cores. Layers are every product (as in workload_of), pooling, Add and Mul of two
/// tensors of one shape, and every other operator on elements or rows (vector_layer()) for whose name or
/// type the mapping file has an entry, or which reads what a layer computes and falls under its entry
/// "vector". All others become pass-through nodes with the places of their elements, one for each output.
///
/// Ids are the places of the nodes in Network::nodes while each node makes one layer or pass-through node.
/// What no layer takes part in lies in the off-chip memory from the start. An operand has a pass-through
/// node of its own before it, where it lies in another order than the tensor that it reads. A node whose
/// layers cannot be made is an error, or a warning where `settings.allow_uncosted` has its type.
Workload stream_workload_of(const Network& network, const OnnxReading& reading);

}  // namespace zz::core::onnx_import
