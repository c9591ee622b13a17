#pragma once
#include "core/diagnostics/diagnostics.hpp"
#include "core/input/onnx/onnx_graph.hpp"

namespace zz::core::onnx_import {

/// Replaces every `If` node of the graph, nested ones too, by the nodes of its larger branch (the first
/// one when both are equally large): an estimate needs one course of events, and this is the one that
/// costs more. Each choice is a warning. An `If` without branches throws InputError.
void inline_branches(onnx::GraphProto& graph, const SourceMark& mark, Diagnostics& diagnostics);

}  // namespace zz::core::onnx_import
