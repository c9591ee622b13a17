#pragma once
#include <string>

#include "core/input/onnx/detail/graph_evaluation.hpp"

namespace zz::core::onnx_import {

/// True for If, Loop and Scan of the standard domain.
bool is_control_flow(const onnx::NodeProto& node);

/// Runs the body of such a node: of an If the branch that its condition names (the one with more
/// multiply-accumulates where that depends on data), of a Loop and a Scan every iteration. The outputs of
/// the node are put into `scope`. Throws NodeProblem.
void run_control_flow(GraphEvaluation& evaluation, const onnx::NodeProto& node, const std::string& name,
                      Scope& scope, const Surroundings& around);

}  // namespace zz::core::onnx_import
