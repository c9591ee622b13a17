#include "core/input/onnx/detail/element_places.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/input/onnx/detail/element_walk.hpp"
#include "core/input/onnx/operators/operator.hpp"

namespace zz::core::onnx_import {
namespace {

using ChangeKind = ShapeChange::Kind;

ShapeChange change_of(ChangeKind kind, Shape from, Shape to) {
  ShapeChange change;
  change.kind = kind;
  change.shape = std::move(to);
  change.from = std::move(from);
  return change;
}

ShapeChange view_of(Shape from, TakenElements taken) {
  ShapeChange change = change_of(ChangeKind::view, std::move(from), std::move(taken.shape));
  change.indices = std::move(taken.strides);
  change.first = taken.first;
  return change;
}

ShapeChange places_of_transpose(const OperatorNode& node, const Shape& from) {
  ShapeChange change = change_of(ChangeKind::transpose, from, {});
  change.indices.resize(from.size());
  std::iota(change.indices.rbegin(), change.indices.rend(), 0);
  if (const auto order = node.attributes().integers("perm")) change.indices = *order;
  return change;
}

ShapeChange places_of_tile(const OperatorNode& node, const Shape& from) {
  const auto* const repeats = node.integers(1);
  if (repeats == nullptr || repeats->size() != from.size()) return any_element();
  const std::vector<std::int64_t> strides = row_major_strides(from);
  TakenElements taken;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    taken.shape.insert(taken.shape.end(), {(*repeats)[axis], from[axis]});
    taken.strides.insert(taken.strides.end(), {0, strides[axis]});
  }
  return view_of(from, std::move(taken));
}

ShapeChange places_of_split(const OperatorNode& node, std::size_t output, const Shape& from) {
  const std::size_t axis = axis_from_front(node.attributes().integer("axis", 0), from.size());
  const Shape& part = node.full_output_shape(output);
  const bool keeps_axis = part.size() == from.size();
  std::int64_t begin = 0;
  for (std::size_t before = 0; before < output; ++before) {
    if (!node.has_output(before)) return any_element();
    begin += keeps_axis ? node.full_output_shape(before)[axis] : 1;
  }
  std::vector<std::int64_t> strides = row_major_strides(from);
  const std::int64_t first = begin * strides[axis];
  if (!keeps_axis) strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return view_of(from, {part, std::move(strides), first});
}

ShapeChange places_of_slice(const OperatorNode& node, const Shape& from) {
  auto taken = taken_by_slice(node);
  return taken ? view_of(from, std::move(*taken)) : any_element();
}

ShapeChange places_of_pad(const OperatorNode& node, const Shape& from) {
  auto begin = begin_in_pad(node);
  if (!begin) return any_element();
  ShapeChange change = change_of(ChangeKind::pad, from, node.full_output_shape(0));
  change.indices = std::move(*begin);
  return change;
}

ShapeChange places_of_gather(const OperatorNode& node, const Shape& from) {
  const auto* const indices = node.integers(1);
  if (indices == nullptr || from.empty()) return any_element();
  const std::size_t axis = axis_from_front(node.attributes().integer("axis", 0), from.size());
  ShapeChange change = change_of(ChangeKind::gather, from, node.full_output_shape(0));
  change.axis = static_cast<std::int64_t>(axis);
  for (std::int64_t index : *indices) change.indices.push_back(index < 0 ? index + from[axis] : index);
  return change;
}

// Blocks of channels become blocks of pixels, or the reverse. Channels are [b][b][c] or [c][b][b].
ShapeChange places_of_blocks(const OperatorNode& node, const Shape& from) {
  const std::int64_t b = node.attributes().integer("blocksize", 1);
  const bool to_space = node.op_type() == "DepthToSpace";
  const bool columns_first = node.attributes().text("mode", "DCR") == "CRD";
  if (from.size() != 4 || b < 1) return any_element();
  const std::int64_t h = from[2], w = from[3];
  if (!to_space) {
    const std::int64_t c = from[1];
    return view_of(from, {{from[0], b, b, c, h / b, w / b}, {c * h * w, w, 1, h * w, b * w, b}, 0});
  }
  const std::int64_t c = from[1] / (b * b), image = h * w;
  const std::int64_t channel = columns_first ? b * b * image : image;
  const std::int64_t block = columns_first ? image : c * image;
  return view_of(from, {{from[0], c, h, b, w, b}, {from[1] * image, channel, w, b * block, 1, block}, 0});
}

/// The first axis of the rows that an operator works on; nothing for one that does not work on rows.
std::optional<std::size_t> first_axis_of_rows(const OperatorNode& node, std::size_t axes) {
  static const std::map<std::string, std::int64_t> by_axis_attribute = {
      {"LayerNormalization", -1},
      {"RMSNormalization", -1},
      {"SimplifiedLayerNormalization", -1},
      {"LpNormalization", -1},
      {"QLinearSoftmax", -1},
      {"BiasSoftmax", -1},
      {"ArgMax", 0},
      {"ArgMin", 0},
      {"TopK", -1}};
  static const std::map<std::string, std::int64_t> fixed = {
      {"SkipLayerNormalization", -1}, {"SkipSimplifiedLayerNormalization", -1},
      {"RotaryEmbedding", -1},        {"InstanceNormalization", 2},
      {"GroupNormalization", 1},      {"LRN", 1},
      {"QLinearGlobalAveragePool", 2}};
  const std::string& type = node.op_type();
  std::optional<std::int64_t> axis;
  if (const auto found = by_axis_attribute.find(type); found != by_axis_attribute.end())
    axis = node.attributes().integer("axis", found->second);
  if (const auto found = fixed.find(type); found != fixed.end()) axis = found->second;
  if (type == "Softmax" || type == "LogSoftmax" || type == "Hardmax")
    axis = node.attributes().integer("axis", node.operator_set() < 13 ? 1 : -1);
  if (type.rfind("Reduce", 0) == 0) {
    std::optional<std::vector<std::int64_t>> reduced = node.attributes().integers("axes");
    if (node.has_input(1)) {
      if (node.integers(1) == nullptr) return std::nullopt;
      reduced = *node.integers(1);
    }
    axis = 0;
    if (reduced && !reduced->empty()) {
      const auto places = axes_from_front(*reduced, axes);
      axis = static_cast<std::int64_t>(*std::min_element(places.begin(), places.end()));
    }
  }
  if (!axis || axes == 0) return std::nullopt;
  return *axis == static_cast<std::int64_t>(axes) ? axes : axis_from_front(*axis, axes);
}

}  // namespace

ShapeChange any_element() {
  ShapeChange change;
  change.kind = ChangeKind::all;
  return change;
}

bool works_element_by_element(const OperatorNode& node) {
  static const std::set<std::string> types = [] {
    std::set<std::string> found;
    for (const Operator& one : elementwise_operators()) found.emplace(one.name);
    for (const char* along_axis : {"CumSum", "CumProd", "Trilu"}) found.erase(along_axis);
    found.insert({"QuantizeLinear", "DequantizeLinear", "QLinearAdd", "QLinearMul", "QLinearLeakyRelu",
                  "QLinearSigmoid", "BatchNormalization", "Identity", "Quant", "IntQuant", "BipolarQuant",
                  "Trunc", "FloatQuant", "MultiThreshold", "RequantShift", "iGELU", "iHardswish",
                  "iLeakyReLU"});
    return found;
  }();
  return types.count(node.op_type()) != 0;
}

ShapeChange broadcast_places(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return any_element();
  const std::size_t missing = to.size() - from.size();
  for (std::size_t axis = 0; axis < from.size(); ++axis)
    if (from[axis] != 1 && from[axis] != to[axis + missing]) return any_element();
  return view_of(from, {to, broadcast_strides(from, to), 0});
}

ShapeChange element_places(const OperatorNode& node, std::size_t output) {
  if (!node.has_input(0) || !node.input(0).has_full_shape() || !node.has_output(output) ||
      !node.output(output).has_full_shape())
    return any_element();
  const std::string& type = node.op_type();
  const Shape& from = node.full_shape(0);
  const Shape& to = node.full_output_shape(output);
  if (type == "Reshape" || type == "Squeeze" || type == "Unsqueeze" || type == "Flatten")
    return change_of(ChangeKind::reshape, from, to);
  if (type == "Transpose") return places_of_transpose(node, from);
  if (type == "Expand") return broadcast_places(from, to);
  if (type == "Tile") return places_of_tile(node, from);
  if (type == "Split" || type == "SplitToSequence") return places_of_split(node, output, from);
  if (type == "Slice") return places_of_slice(node, from);
  if (type == "Pad") return places_of_pad(node, from);
  if (type == "Gather") return places_of_gather(node, from);
  if (type == "DepthToSpace" || type == "SpaceToDepth") return places_of_blocks(node, from);
  const auto axis = first_axis_of_rows(node, from.size());
  if (!axis) return any_element();
  const std::int64_t rows =
      element_count(Shape(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(*axis)));
  // A result that is not made of rows, as the statistics of a normalisation.
  if (rows == 0 || element_count(to) % rows != 0) return any_element();
  ShapeChange change = change_of(ChangeKind::rows, from, to);
  change.axis = static_cast<std::int64_t>(*axis);
  return change;
}

}  // namespace zz::core::onnx_import
