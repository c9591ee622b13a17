#include "core/input/stream/stream_onnx_shape_change.hpp"

#include <fmt/format.h>

#include "core/input/onnx/zigzag_layers.hpp"

namespace zz::core::onnx_import {
namespace {

std::int64_t checked_axis(const OperatorNode& node, std::int64_t otherwise, std::size_t axes,
                          std::size_t most) {
  const std::int64_t axis = node.attributes().integer("axis", otherwise);
  const std::int64_t counted = axis < 0 ? axis + static_cast<std::int64_t>(axes) : axis;
  if (counted >= 0 && counted <= static_cast<std::int64_t>(most)) return counted;
  throw NodeProblem(fmt::format("the attribute 'axis' is {}, but its input has {} axes", axis, axes));
}

ShapeChange flatten(const OperatorNode& node) {
  const std::size_t axes = zigzag_shape(node.input(0)).size();
  return {ShapeChange::Kind::flatten, {}, {}, checked_axis(node, 1, axes, axes)};
}

ShapeChange transpose(const OperatorNode& node) {
  const std::size_t axes = zigzag_shape(node.input(0)).size();
  auto permutation = node.attributes().integers("perm").value_or(Shape{});
  std::vector<bool> seen(axes, false);
  for (const std::int64_t axis : permutation) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(axes) || seen[static_cast<std::size_t>(axis)] ||
        permutation.size() != axes)
      throw NodeProblem("the attribute 'perm' is no permutation of the axes of its input");
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return {ShapeChange::Kind::transpose, {}, std::move(permutation), 0};
}

/// True for an initialiser or the result of a Constant: what the reference looks at.
bool lies_in_file(const Network& network, const Tensor& tensor) {
  return tensor.producer < 0 ||
         network.nodes[static_cast<std::size_t>(tensor.producer)].op_type == "Constant";
}

ShapeChange gather(const Network& network, const OperatorNode& node, std::vector<std::string>& doubts) {
  if (!node.has_input(1)) throw NodeProblem("its second input, the indices, is missing");
  const Shape input = zigzag_shape(node.input(0));
  if (input.empty()) throw NodeProblem("its input is a single number");
  ShapeChange change{ShapeChange::Kind::gather, zigzag_shape(node.output(0)), {0}, 0};
  change.axis = checked_axis(node, 0, input.size(), input.size() - 1);
  const std::int64_t length = input[static_cast<std::size_t>(change.axis)];
  const auto* const indices = lies_in_file(network, node.input(1)) ? node.integers(1) : nullptr;
  if (indices == nullptr) {
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

ShapeChange concat(const StreamNode& node) {
  ShapeChange change{ShapeChange::Kind::concat, zigzag_shape(node.view.output(0)), {}, 0};
  const std::size_t axes = change.shape.size();
  if (axes == 0) throw NodeProblem("its result is a single number");
  change.axis = checked_axis(node.view, 0, axes, axes - 1);
  std::int64_t begin = 0;
  for (std::size_t input = 0; input < node.view.input_count(); ++input) {
    if (node.producer(input) != StreamNode::no_producer) change.indices.push_back(begin);
    const Shape part = zigzag_shape(node.view.input(input));
    if (part.size() != axes) throw NodeProblem("its inputs have different numbers of axes");
    begin += part[static_cast<std::size_t>(change.axis)];
  }
  return change;
}

}  // namespace

ShapeChange shape_change_of(const Network& network, const StreamNode& node,
                            std::vector<std::string>& doubts) {
  const std::string& type = node.type();
  if (node.view.input_count() == 0 || node.view.output_count() == 0) return {};
  if (type == "Reshape" || type == "Squeeze" || type == "Unsqueeze")
    return {ShapeChange::Kind::reshape, zigzag_shape(node.view.output(0)), {}, 0};
  if (type == "Flatten") return flatten(node.view);
  if (type == "Transpose") return transpose(node.view);
  if (type == "Gather") return gather(network, node.view, doubts);
  if (type == "Concat") return concat(node);
  return {};
}

}  // namespace zz::core::onnx_import
