#pragma once
#include <string>

#include "core/compat/rules.hpp"
#include "core/diagnostics/diagnostics.hpp"
#include "core/input/onnx/onnx_settings.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Reads a network from an ONNX file. Conv, QLinearConv, MatMul and Gemm become layers, which get their
/// entry of `mapping`; every other operator is a pass-through node. Ids are the nodes' places in the
/// file.
///
/// Shapes that the file lacks are inferred; those it gives are kept. Weights are not looked at, so they
/// may be missing or stored elsewhere. Of an `If`, the larger branch is taken.
///
/// Throws InputError with every problem of the file, naming nodes and tensors; what may be used in spite
/// of a doubt is added to `diagnostics` as a warning.
Workload read_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                   Diagnostics& diagnostics, const OnnxSettings& settings = {});

}  // namespace zz::core
