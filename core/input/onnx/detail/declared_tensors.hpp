#pragma once
#include "core/input/onnx/detail/result_completion.hpp"
#include "core/input/onnx/operator_node.hpp"
#include "core/input/onnx/tensor.hpp"

namespace zz::core::onnx_import {

/// An input of the network with the lengths that the file or the user gives. Those that nobody gives are
/// added to `lengths`.
Tensor declared_input(const onnx::ValueInfoProto& input, OpenLengths& lengths);

/// Gives an input the elements that the user says. Throws NodeProblem where they do not fit its type or its
/// shape: "has 3 elements, ...".
void set_given_values(Tensor& tensor, const Values& given);

/// A weight with its shape, and its elements if there are few and the file has them. Throws NodeProblem for
/// elements that do not fit the shape; `tensor` is complete but for them.
void declare_initialiser(const onnx::TensorProto& initialiser, Tensor& tensor);
/// The same for one whose zeros are left out in the file; its elements are not read.
void declare_initialiser(const onnx::SparseTensorProto& initialiser, Tensor& tensor);

}  // namespace zz::core::onnx_import
