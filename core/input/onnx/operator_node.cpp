#include "core/input/onnx/operator_node.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace zz::core::onnx_import {

NodeProblem below_smallest(const std::string& attribute, std::int64_t value, std::int64_t smallest) {
  return NodeProblem(fmt::format("the attribute '{}' holds {}, the smallest legal value is {}", attribute,
                                 value, smallest));
}

namespace {

[[noreturn]] void throw_wrong_type(const std::string& name, const char* expected) {
  throw NodeProblem(fmt::format("the attribute '{}' must be {}", name, expected));
}

Attributes::Content content_of(const onnx::AttributeProto& attribute) {
  switch (attribute.type()) {
    case onnx::AttributeProto::INT:
      return attribute.i();
    case onnx::AttributeProto::FLOAT:
      return static_cast<double>(attribute.f());
    case onnx::AttributeProto::STRING:
      return attribute.s();
    case onnx::AttributeProto::INTS:
      return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    case onnx::AttributeProto::FLOATS:
      return std::vector<double>(attribute.floats().begin(), attribute.floats().end());
    default:
      return {};
  }
}

}  // namespace

std::vector<std::pair<std::string, Attributes::Content>> Attributes::all() const {
  std::vector<std::pair<std::string, Content>> all;
  for (const auto& attribute : node_.attribute()) {
    const onnx::AttributeProto* const found = find(attribute.name());
    all.emplace_back(attribute.name(), found != nullptr ? content_of(*found) : Content());
  }
  return all;
}

const onnx::AttributeProto* Attributes::find(const std::string& name) const {
  for (const auto& attribute : node_.attribute()) {
    if (attribute.name() != name) continue;
    if (attribute.ref_attr_name().empty()) return &attribute;
    if (call_ == nullptr) return nullptr;
    const auto given = call_->find(attribute.ref_attr_name());
    return given != call_->end() ? given->second : nullptr;
  }
  return nullptr;
}

// Files of the first years do not state the type of an attribute.
std::int64_t Attributes::integer(const std::string& name, std::int64_t otherwise) const {
  const onnx::AttributeProto* const attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (!attribute->has_i() && attribute->type() != onnx::AttributeProto::INT)
    throw_wrong_type(name, "an integer");
  return attribute->i();
}

double Attributes::real(const std::string& name, double otherwise) const {
  const onnx::AttributeProto* const attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (!attribute->has_f() && attribute->type() != onnx::AttributeProto::FLOAT)
    throw_wrong_type(name, "a number");
  return attribute->f();
}

std::string Attributes::text(const std::string& name, const std::string& otherwise) const {
  const onnx::AttributeProto* const attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (!attribute->has_s() && attribute->type() != onnx::AttributeProto::STRING)
    throw_wrong_type(name, "a text");
  return attribute->s();
}

std::optional<std::vector<std::int64_t>> Attributes::integers(const std::string& name) const {
  const onnx::AttributeProto* const attribute = find(name);
  if (attribute == nullptr) return std::nullopt;
  if (attribute->ints().empty() && attribute->type() != onnx::AttributeProto::INTS)
    throw_wrong_type(name, "a list of integers");
  return std::vector<std::int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::int64_t Attributes::required_integer(const std::string& name) const {
  if (find(name) == nullptr) throw NodeProblem(fmt::format("the attribute '{}' is missing", name));
  return integer(name, 0);
}

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
  const auto from = unknown_lengths_of(tensor);
  throw NodeProblem(
      fmt::format("the shape of tensor '{}' is unknown: {}", tensor.name, from->because),
      fmt::format("write `dimensions: {{{}}}`{}; lengths that follow from it need not be given",
                  from->setting, tensor.shape ? "" : ", and so for each axis"),
      from->setting);
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

BlockScale scale_of_blocks(const OperatorNode& node, std::size_t scales, std::size_t zero_points,
                           std::int64_t element_bits) {
  const std::int64_t every = node.attributes().integer("block_size", 0);
  if (every <= 0 || !node.has_input(scales)) return {};
  std::int64_t bits = bits_of(node.type(scales));
  // Zero points are packed as the elements are, or of the type of the scales.
  if (node.has_input(zero_points))
    bits += is_floating(node.type(zero_points)) ? bits_of(node.type(zero_points)) : element_bits;
  return {bits, every, ""};
}

void OperatorNode::set_stored_bits(std::size_t output, std::int64_t bits) const {
  if (has_output(output)) filled_in_.at(output)->stored_bits = bits;
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
