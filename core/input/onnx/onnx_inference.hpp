#pragma once
#include <string>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/onnx/onnx_graph.hpp"

namespace zz::core::onnx_import {

/// Gives the outputs and values of the model's graph the types that follow from its operators. Returns the
/// first line of why that did not come to its end, or ""; what was inferred until then holds.
///
/// The library runs in a child process with limits for time and memory (docs/limits.md): it divides by
/// attributes, reads data and follows types without a check, and what ends the child only adds an error to
/// `diagnostics` that names the node.
std::string infer_shapes(onnx::ModelProto& model, const SourceMark& mark, Diagnostics& diagnostics);

}  // namespace zz::core::onnx_import
