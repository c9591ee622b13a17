#pragma once
#include <cstdint>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/input/onnx/operator_node.hpp"

namespace zz::core::onnx_import {

/// The newest operator set whose operators are known.
inline constexpr std::int64_t newest_operator_set = 28;

/// Newest version of the standard operator set for which the ONNX library infers shapes.
std::int64_t newest_inferable_operator_set();

/// Loads an ONNX file and checks that it can be one: readable, complete, with a graph and an operator set
/// that is known. Tensor data that the file keeps elsewhere ("external data") are not looked at.
///
/// Throws InputError naming the file; a newer operator set than is known is a warning.
onnx::ModelProto load_model(const std::string& path, Diagnostics& diagnostics,
                            const Files& files = Files::on_disk());

/// Version of the standard operator set that the model declares, or 0.
std::int64_t standard_operator_set(const onnx::ModelProto& model);

}  // namespace zz::core::onnx_import
