#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/compat/rules.hpp"
#include "core/input/onnx/onnx_settings.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Reads a network for several cores from an ONNX file. Every product, pooling, and Add and Mul of two
/// tensors of one shape become layers, which get their entry of `mapping`; so do other operators on
/// elements or rows for which the mapping file has an entry. Every other operator is a pass-through node,
/// with what it does to the places of its data (stream_network_workload.hpp). Operators without inputs
/// (constants) are left out.
///
/// A mapping entry is found by the layer's and the node's name, by "Layer<id>", by the operator type, by
/// the layer's type ("conv", "gemm", "matmul", "pooling", "add", "mul"), and by "vector" for what is no
/// product.
///
/// With rules.onnx_operators_of_zigzag the file is read as Stream does (stream_onnx_layers.hpp), and ids
/// are the nodes' places in the file.
///
/// Throws InputError with every problem of the file, naming nodes and tensors; what may be used in spite of
/// a doubt is added to `diagnostics` as a warning.
Workload read_stream_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                          Diagnostics& diagnostics, const OnnxSettings& settings = {},
                          const Files& files = Files::on_disk());

}  // namespace zz::core
