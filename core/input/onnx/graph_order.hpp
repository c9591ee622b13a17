#pragma once
#include <string>
#include <vector>

#include "core/input/onnx/node_problem.hpp"

namespace zz::core::onnx_import {

/// The nodes of one graph or function body in an order in which they can be computed: that of the file as
/// far as possible. Throws NodeProblem for a tensor that two nodes produce, and for nodes in a circle.
std::vector<const onnx::NodeProto*> computable_order(const std::vector<const onnx::NodeProto*>& nodes);

}  // namespace zz::core::onnx_import
