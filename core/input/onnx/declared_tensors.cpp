#include "core/input/onnx/declared_tensors.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace zz::core::onnx_import {
namespace {

template <class Lengths>
void set_type_and_shape(Tensor& tensor, int type, const Lengths& lengths) {
  tensor.type = tensor.stored = element_type(type);
  tensor.stored_bits = bits_of(tensor.type);
  tensor.constant = true;
  tensor.shape.emplace(lengths.begin(), lengths.end());
}

}  // namespace

Tensor declared_input(const onnx::ValueInfoProto& input, OpenLengths& lengths) {
  const auto& declared = input.type().tensor_type();
  Tensor tensor;
  tensor.name = input.name();
  tensor.type = tensor.stored = element_type(declared.elem_type());
  tensor.stored_bits = bits_of(tensor.type);
  if (!declared.has_shape()) {
    tensor.unknown_because = "the file does not state the axes of this input";
    return tensor;
  }
  tensor.shape.emplace();
  for (const auto& axis : declared.shape().dim()) {
    const std::size_t place = tensor.shape->size();
    const std::string by_axis = fmt::format("{}:{}", input.name(), place);
    const std::string& name = axis.dim_param().empty() ? by_axis : axis.dim_param();
    std::int64_t length = axis.has_dim_value() && axis.dim_value() >= 0 ? axis.dim_value() : unknown_length;
    if (length == unknown_length) length = lengths.given(by_axis);
    if (length == unknown_length) length = lengths.given(name);
    if (length == unknown_length) {
      lengths.add(name, fmt::format("axis {} of input '{}'", place, input.name()));
      tensor.unknown_because = fmt::format("the file leaves axis {} ('{}') of input '{}' open", place,
                                           axis.dim_param(), input.name());
    }
    tensor.shape->push_back(length);
  }
  return tensor;
}

void declare_initialiser(const onnx::TensorProto& initialiser, Tensor& tensor) {
  set_type_and_shape(tensor, initialiser.data_type(), initialiser.dims());
  tensor.values = read_values(initialiser);
}

void declare_initialiser(const onnx::SparseTensorProto& initialiser, Tensor& tensor) {
  set_type_and_shape(tensor, initialiser.values().data_type(), initialiser.dims());
}

}  // namespace zz::core::onnx_import
