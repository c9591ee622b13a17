#include "core/input/onnx/operator_node.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace zz::core::onnx_import {

const Tensor& OperatorNode::input(std::size_t i) const {
  if (!has_input(i)) throw NodeProblem(fmt::format("its input {} is missing", i));
  return *inputs_[i];
}

const Tensor& OperatorNode::output(std::size_t i) const {
  if (!has_output(i)) throw NodeProblem(fmt::format("its output {} is missing", i));
  return *outputs_[i];
}

const Shape* OperatorNode::shape(std::size_t i) const {
  return has_input(i) && inputs_[i]->shape ? &*inputs_[i]->shape : nullptr;
}

std::optional<Shape> OperatorNode::shape_if_known(std::size_t i) const {
  return shape(i) != nullptr ? std::optional(*shape(i)) : std::nullopt;
}

const std::vector<std::int64_t>* OperatorNode::integers(std::size_t i) const {
  return has_input(i) && inputs_[i]->values
             ? std::get_if<std::vector<std::int64_t>>(inputs_[i]->values.get())
             : nullptr;
}

const std::vector<double>* OperatorNode::numbers(std::size_t i) const {
  return has_input(i) && inputs_[i]->values ? std::get_if<std::vector<double>>(inputs_[i]->values.get())
                                            : nullptr;
}

std::optional<std::vector<std::int64_t>> OperatorNode::list(std::size_t input,
                                                            const char* attribute) const {
  if (!has_input(input)) return attributes_.integers(attribute);
  const auto* const values = integers(input);
  return values != nullptr ? std::optional(*values) : std::nullopt;
}

const Shape& OperatorNode::full_shape_of(const Tensor& tensor) {
  if (tensor.has_full_shape()) return *tensor.shape;
  std::string lengths;
  for (std::size_t axis = 0; axis < (tensor.shape ? tensor.shape->size() : 1); ++axis)
    if (!tensor.shape || (*tensor.shape)[axis] == unknown_length)
      lengths += fmt::format("{}\"{}:{}\": LENGTH", lengths.empty() ? "" : ", ", tensor.name, axis);
  throw NodeProblem(
      fmt::format("the shape of tensor '{}' is unknown: {}", tensor.name,
                  tensor.unknown_because.empty() ? "the file does not tell it" : tensor.unknown_because),
      fmt::format("write `dimensions: {{{}}}`{}; lengths that follow from it need not be given", lengths,
                  tensor.shape ? "" : ", and so for each axis"));
}

void OperatorNode::set(std::size_t output, ElementType type, std::optional<Shape> shape) const {
  if (!has_output(output)) return;
  filled_in_.at(output)->type = type;
  filled_in_.at(output)->shape = std::move(shape);
}

void OperatorNode::set_values(std::size_t output, std::shared_ptr<const Values> values) const {
  if (!has_output(output)) return;
  Tensor& tensor = *filled_in_.at(output);
  // 10 * 0.7 is 7 in single precision, and less in double precision: lengths are rounded down.
  if (const auto* numbers = values != nullptr ? std::get_if<std::vector<double>>(values.get()) : nullptr;
      numbers != nullptr && tensor.type == ElementType::float32) {
    std::vector<double> rounded;
    for (const double value : *numbers) rounded.push_back(static_cast<float>(value));
    values = std::make_shared<const Values>(std::move(rounded));
  }
  tensor.values = std::move(values);
}

void OperatorNode::set_integers(std::size_t output, std::vector<std::int64_t> values) const {
  set_values(output, std::make_shared<const Values>(std::move(values)));
}

void OperatorNode::unknown_because(const std::string& reason) const {
  for (Tensor* const output : filled_in_)
    if (output != nullptr) output->unknown_because = reason;
}

std::size_t axis_from_front(std::int64_t axis, std::size_t axes) {
  const auto count = static_cast<std::int64_t>(axes);
  if (axis < -count || axis >= count)
    throw NodeProblem(fmt::format("it names axis {} of a tensor that has {}", axis, count));
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::vector<std::size_t> axes_from_front(const std::vector<std::int64_t>& axes, std::size_t count) {
  std::vector<std::size_t> found;
  for (const std::int64_t axis : axes) found.push_back(axis_from_front(axis, count));
  return found;
}

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& length = result[offset + i];
    const std::int64_t other = shorter[i];
    if (length == other || other == 1) continue;
    // A length that is unknown may be 1 at run time; any known one above 1 decides.
    if (length == 1 || length == unknown_length)
      length = other;
    else if (other != unknown_length)
      throw NodeProblem(fmt::format("its inputs have the shapes {} and {}, which do not fit together",
                                    fmt::join(a, "x"), fmt::join(b, "x")));
  }
  return result;
}

}  // namespace zz::core::onnx_import
