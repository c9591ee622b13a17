#pragma once
#include <string>

#include "core/input/onnx/graph_evaluation.hpp"

namespace zz::core::onnx_import {

/// Runs an If: the branch that its condition names. Where the condition depends on data, both are followed,
/// and the one with more multiply-accumulates stays; a branch that cannot be with the known shapes does
/// not. What then differs between their results is known at run time only. The outputs of the node are put
/// into `scope`. Throws NodeProblem.
void run_if(GraphEvaluation& evaluation, const onnx::NodeProto& node, const std::string& name, Scope& scope,
            const Surroundings& around);

}  // namespace zz::core::onnx_import
