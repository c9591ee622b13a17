#pragma once
#include <cstddef>
#include <vector>

#include "core/input/onnx/operator_node.hpp"
#include "core/input/onnx/operators/operator.hpp"

namespace zz::core::onnx_import {

/// The inputs whose elements the results of a node are, beside zeros, bounds and what fills up: of an
/// operator that moves, copies or selects elements. None for one that computes new ones.
std::vector<std::size_t> inputs_handed_on(const OperatorNode& node, const Operator& known);

}  // namespace zz::core::onnx_import
