#pragma once
#include <cstdint>
#include <string>

#include "core/input/onnx/onnx_proto.hpp"

namespace zz::core::onnx_import {

// What the ONNX library is asked for. It is loaded by the first question that needs it; std::runtime_error
// when it cannot be.

/// Gives the outputs and values of the graph the types that follow from the operators. Returns why that did
/// not come to its end, or "".
std::string infer_shapes(onnx::ModelProto& model);

/// True when the ONNX library knows the version of the standard operator set.
bool can_infer(std::int64_t operator_set);

/// Newest version of the standard operator set that the ONNX library knows.
std::int64_t newest_inferable_operator_set();

}  // namespace zz::core::onnx_import
