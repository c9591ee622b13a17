#include "core/input/stream/stream_onnx_shape_change.hpp"

#include <cstring>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace zz::core::onnx_import {
namespace {

template <class T>
std::vector<std::int64_t> raw_integers(const std::string& bytes) {
  std::vector<std::int64_t> values;
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    values.push_back(value);
  }
  return values;
}

std::optional<std::vector<std::int64_t>> integers_in(const onnx::TensorProto& tensor) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) return std::nullopt;
  if (tensor.data_type() == onnx::TensorProto::INT64) {
    if (!tensor.raw_data().empty()) return raw_integers<std::int64_t>(tensor.raw_data());
    return std::vector<std::int64_t>(tensor.int64_data().begin(), tensor.int64_data().end());
  }
  if (tensor.data_type() == onnx::TensorProto::INT32) {
    if (!tensor.raw_data().empty()) return raw_integers<std::int32_t>(tensor.raw_data());
    return std::vector<std::int64_t>(tensor.int32_data().begin(), tensor.int32_data().end());
  }
  return std::nullopt;
}

std::int64_t checked_axis(const onnx::NodeProto& node, std::int64_t otherwise, std::size_t axes,
                          std::size_t most) {
  const std::int64_t axis = integer_attribute(node, "axis", otherwise);
  const std::int64_t counted = axis < 0 ? axis + static_cast<std::int64_t>(axes) : axis;
  if (counted >= 0 && counted <= static_cast<std::int64_t>(most)) return counted;
  throw NodeProblem(fmt::format("the attribute 'axis' is {}, but its input has {} axes", axis, axes));
}

ShapeChange flatten(const StreamNode& node, const TensorShapes& shapes) {
  const std::size_t axes = shapes.require(node.proto().input(0)).size();
  return {ShapeChange::Kind::flatten, {}, {}, checked_axis(node.proto(), 1, axes, axes)};
}

ShapeChange transpose(const StreamNode& node, const TensorShapes& shapes) {
  const std::size_t axes = shapes.require(node.proto().input(0)).size();
  auto permutation = integers_attribute(node.proto(), "perm", axes, 0).value_or(Shape{});
  std::vector<bool> seen(axes, false);
  for (const std::int64_t axis : permutation) {
    if (axis >= static_cast<std::int64_t>(axes) || seen[static_cast<std::size_t>(axis)])
      throw NodeProblem("the attribute 'perm' is no permutation of the axes of its input");
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return {ShapeChange::Kind::transpose, {}, std::move(permutation), 0};
}

ShapeChange gather(const StreamNode& node, const TensorShapes& shapes, const IntegerConstants& constants,
                   std::vector<std::string>& doubts) {
  if (node.proto().input_size() < 2) throw NodeProblem("its second input, the indices, is missing");
  const Shape input = shapes.require(node.proto().input(0));
  if (input.empty()) throw NodeProblem("its input is a single number");
  ShapeChange change{ShapeChange::Kind::gather, shapes.require(node.proto().output(0)), {0}, 0};
  change.axis = checked_axis(node.proto(), 0, input.size(), input.size() - 1);
  const std::int64_t length = input[static_cast<std::size_t>(change.axis)];
  const auto indices = constants.find(node.proto().input(1));
  if (!indices) {
    doubts.push_back("which elements it takes is known only when the network runs: the first is assumed");
    return change;
  }
  change.indices = *indices;
  for (std::int64_t& index : change.indices) {
    if (index < 0) index += length;
    if (index < 0 || index >= length)
      throw NodeProblem(fmt::format("it takes element {} of an axis of {}", index, length));
  }
  return change;
}

ShapeChange concat(const StreamNode& node, const TensorShapes& shapes) {
  ShapeChange change{ShapeChange::Kind::concat, shapes.require(node.proto().output(0)), {}, 0};
  const std::size_t axes = change.shape.size();
  if (axes == 0) throw NodeProblem("its result is a single number");
  change.axis = checked_axis(node.proto(), 0, axes, axes - 1);
  std::int64_t begin = 0;
  for (int input = 0; input < node.proto().input_size(); ++input) {
    if (node.producer(static_cast<std::size_t>(input)) != StreamNode::no_producer)
      change.indices.push_back(begin);
    const Shape part = shapes.require(node.proto().input(input));
    if (part.size() != axes) throw NodeProblem("its inputs have different numbers of axes");
    begin += part[static_cast<std::size_t>(change.axis)];
  }
  return change;
}

}  // namespace

IntegerConstants::IntegerConstants(const onnx::GraphProto& graph) {
  for (const auto& tensor : graph.initializer()) tensors_[tensor.name()] = &tensor;
  for (const auto& node : graph.node()) {
    if (node.op_type() != "Constant" || node.output_size() != 1) continue;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "value") tensors_[node.output(0)] = &attribute.t();
      if (attribute.name() == "value_int") lists_[node.output(0)] = {attribute.i()};
      if (attribute.name() == "value_ints")
        lists_[node.output(0)] = {attribute.ints().begin(), attribute.ints().end()};
    }
  }
}

std::optional<std::vector<std::int64_t>> IntegerConstants::find(const std::string& tensor) const {
  const auto list = lists_.find(tensor);
  if (list != lists_.end()) return list->second;
  const auto found = tensors_.find(tensor);
  return found == tensors_.end() ? std::nullopt : integers_in(*found->second);
}

ShapeChange shape_change_of(const StreamNode& node, const TensorShapes& shapes,
                            const IntegerConstants& constants, std::vector<std::string>& doubts) {
  const std::string& type = node.type();
  if (node.proto().input_size() == 0 || node.proto().output_size() == 0) return {};
  if (type == "Reshape" || type == "Squeeze" || type == "Unsqueeze")
    return {ShapeChange::Kind::reshape, shapes.require(node.proto().output(0)), {}, 0};
  if (type == "Flatten") return flatten(node, shapes);
  if (type == "Transpose") return transpose(node, shapes);
  if (type == "Gather") return gather(node, shapes, constants, doubts);
  if (type == "Concat") return concat(node, shapes);
  return {};
}

}  // namespace zz::core::onnx_import
