#pragma once
#include <cstddef>

#include "core/input/onnx/operator_node.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::onnx_import {

/// Each element of a result may come from any element of the data.
ShapeChange any_element();

/// True for operators each of whose results comes from the elements in the same place of its inputs, which
/// are broadcast.
bool works_element_by_element(const OperatorNode& node);

/// Origin of the elements of one output of an operator in those of its first input (of every input, for
/// operators that normalise several); of kind `all` where that is not known before the network runs. Not
/// for Concat, nor for operators that work element by element.
ShapeChange element_places(const OperatorNode& node, std::size_t output);

/// Repetition of a tensor along its axes to have the other's shape. Of kind `all` where it cannot be.
ShapeChange broadcast_places(const Shape& from, const Shape& to);

}  // namespace zz::core::onnx_import
