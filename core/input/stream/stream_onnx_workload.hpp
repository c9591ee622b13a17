#pragma once
#include <string>

#include "core/compat/rules.hpp"
#include "core/diagnostics/diagnostics.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Reads a network for several cores from an ONNX file. Conv, QLinearConv, Gemm, MatMul, pooling, and Add
/// and Mul of two tensors of one shape become layers, which get their entry of `mapping`; every other
/// operator is a pass-through node, with what it does to the shape of its data. Ids are the nodes' places
/// in the file; operators without inputs (constants) are left out.
///
/// A mapping entry is found by the node's name, by "Layer<id>", by the operator type, or by the layer's
/// type ("conv", "gemm", "matmul", "pooling", "add", "mul").
///
/// Shapes that the file lacks are inferred. Throws InputError with every problem of the file, naming nodes
/// and tensors; what may be used in spite of a doubt is added to `diagnostics` as a warning.
Workload read_stream_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                          Diagnostics& diagnostics);

}  // namespace zz::core
