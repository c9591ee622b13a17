#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/compat/rules.hpp"
#include "core/input/onnx/onnx_settings.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Reads a network from an ONNX file. Every operator that multiplies becomes a layer, or several, with its
/// entry of `mapping`; every other one is a pass-through node (network_workload.hpp). Weights are not
/// looked at, so they may be missing or stored elsewhere. With rules.onnx_operators_of_zigzag the file is
/// read as ZigZag does (zigzag_workload.hpp).
///
/// Throws InputError with every problem of the file, naming nodes and tensors; what may be used in spite
/// of a doubt is added to `diagnostics` as a warning.
Workload read_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                   Diagnostics& diagnostics, const OnnxSettings& settings = {},
                   const Files& files = Files::on_disk());

}  // namespace zz::core
