#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/input/onnx/operator_node.hpp"
#include "core/input/onnx/operators/operator.hpp"

namespace zz::core::onnx_import {

/// The inputs whose elements the results of a node are, beside zeros, bounds and what fills up: of an
/// operator that moves, copies or selects elements. None for one that computes new ones.
std::vector<std::size_t> inputs_handed_on(const OperatorNode& node, const Operator& known);

/// At most so many elements of the first result, whose shape is known, differ beside what fills up.
std::int64_t different_elements(const OperatorNode& node, const Operator& known);

/// The bits of each element of the result where a node takes words apart in which several weights are
/// packed: by a mask, a shift or a division of integers that the file holds. 0 for other nodes.
std::int64_t bits_of_parts(const OperatorNode& node, const Operator& known);

}  // namespace zz::core::onnx_import
