#include "core/input/onnx/detail/declared_tensors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <utility>
#include <vector>

#include "core/input/onnx/tensor.hpp"

namespace zz::core::onnx_import {
namespace {

template <class Lengths>
void set_type_and_shape(Tensor& tensor, int type, const Lengths& lengths) {
  tensor.type = tensor.stored = element_type(type);
  tensor.stored_bits = bits_of(tensor.type);
  tensor.constant = tensor.of_file = true;
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
    // Exporters fix the batch at one; what is given for an axis of an input comes before what the file
    // says.
    if (const std::int64_t given = lengths.given(by_axis); given != unknown_length) length = given;
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

void set_given_values(Tensor& tensor, const Values& given) {
  const auto* const integers = std::get_if<std::vector<std::int64_t>>(&given);
  const std::size_t count = std::visit([](const auto& list) { return list.size(); }, given);
  const bool takes_integers = is_integral(tensor.type);
  if (!takes_integers && !is_floating(tensor.type))
    throw NodeProblem(fmt::format("cannot be given: its type is {}", name_of(tensor.type)));
  if (takes_integers && integers == nullptr)
    throw NodeProblem(fmt::format("is no whole number, but its type is {}", name_of(tensor.type)));
  if (!tensor.shape) tensor.shape = count == 1 ? Shape{} : Shape{static_cast<std::int64_t>(count)};
  // A length that nobody gives is a problem of its own.
  if (tensor.has_full_shape() && static_cast<std::size_t>(tensor.elements()) != count)
    throw NodeProblem(
        fmt::format("has {} elements, but its shape {} has {}", count,
                    tensor.shape->empty() ? "of no axes" : fmt::format("{}", fmt::join(*tensor.shape, "x")),
                    tensor.elements()));
  if (takes_integers || integers == nullptr)
    tensor.values = std::make_shared<const Values>(given);
  else
    tensor.values = std::make_shared<const Values>(std::vector<double>(integers->begin(), integers->end()));
}

void declare_initialiser(const onnx::TensorProto& initialiser, Tensor& tensor) {
  set_type_and_shape(tensor, initialiser.data_type(), initialiser.dims());
  tensor.initialiser = &initialiser;
  tensor.values = read_values(initialiser);
}

void declare_initialiser(const onnx::SparseTensorProto& initialiser, Tensor& tensor) {
  set_type_and_shape(tensor, initialiser.values().data_type(), initialiser.dims());
  tensor.initialiser = &initialiser.values();
}

}  // namespace zz::core::onnx_import
