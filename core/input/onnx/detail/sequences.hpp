#pragma once
#include <string>

#include "core/input/onnx/detail/graph_evaluation.hpp"

namespace zz::core::onnx_import {

/// True for a node that makes, changes or reads a sequence of tensors.
bool is_on_sequences(const GraphEvaluation& evaluation, const onnx::NodeProto& node, const Scope& scope);

/// Runs such a node. Sequences are put together and taken apart while the file is read: what takes a tensor
/// out of one is no node, what reads all tensors of one is a node with all of them as inputs, and what cuts
/// a tensor into one is a node with that many results. Throws NodeProblem for a sequence that depends on
/// data.
void run_on_sequences(GraphEvaluation& evaluation, const onnx::NodeProto& node, const std::string& name,
                      Scope& scope, const Surroundings& around);

}  // namespace zz::core::onnx_import
