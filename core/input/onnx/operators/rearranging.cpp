#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "core/input/onnx/detail/element_walk.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Operators that give the same elements other axes or another order.
namespace zz::core::onnx_import {
namespace {

/// The result has the elements of the first input in the same order.
void set_reshaped(const OperatorNode& node, std::optional<Shape> shape) {
  node.set(0, node.type(0), std::move(shape));
  node.set_values(0, node.input(0).values);
}

void infer_identity(const OperatorNode& node) { set_reshaped(node, node.shape_if_known(0)); }

void infer_shape(const OperatorNode& node) {
  const Shape* const shape = node.shape(0);
  if (shape == nullptr) return node.set(0, ElementType::int64, Shape{unknown_length});
  const auto axes = static_cast<std::int64_t>(shape->size());
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t given = node.attributes().integer(name, otherwise);
    return std::clamp<std::int64_t>(given < 0 ? given + axes : given, 0, axes);
  };
  const std::int64_t start = bound("start", 0), end = std::max(bound("end", axes), start);
  const std::vector<std::int64_t> lengths(shape->begin() + start, shape->begin() + end);
  node.set(0, ElementType::int64, Shape{end - start});
  if (std::find(lengths.begin(), lengths.end(), unknown_length) == lengths.end())
    node.set_integers(0, lengths);
  else
    node.unknown_because(node.input(0).unknown_because);
}

void infer_size(const OperatorNode& node) {
  node.set(0, ElementType::int64, Shape{});
  if (node.input(0).has_full_shape()) node.set_integers(0, {node.input(0).elements()});
}

// Reshape: 0 keeps the length of that axis, -1 is what remains.
void infer_reshape(const OperatorNode& node) {
  const auto target = node.list(1, "shape");
  if (!target) {
    const Shape* const list = node.shape(1);
    std::optional<Shape> unknown;
    if (list != nullptr && list->size() == 1 && list->front() >= 0 && list->front() < 64)
      unknown = Shape(static_cast<std::size_t>(list->front()), unknown_length);
    node.set(0, node.type(0), unknown);
    return node.unknown_because("its shape depends on data");
  }
  const Shape* const input = node.shape(0);
  const bool zero_is_zero = node.attributes().integer("allowzero", 0) != 0;
  Shape shape = *target;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !zero_is_zero) {
      if (input == nullptr)
        shape[i] = unknown_length;
      else if (i >= input->size())
        throw NodeProblem(fmt::format("it keeps axis {} of an input that has {}", i, input->size()));
      else
        shape[i] = (*input)[i];
    } else if (shape[i] == -1) {
      if (open) throw NodeProblem("two lengths of its result are left open (-1)");
      open = i;
    } else if (shape[i] < 0) {
      throw NodeProblem(fmt::format("it makes an axis of length {}", shape[i]));
    }
  }
  const bool known = node.input(0).has_full_shape() &&
                     std::count(shape.begin(), shape.end(), unknown_length) == (open ? 1 : 0);
  if (known) {
    const std::int64_t elements = node.input(0).elements();
    if (open) shape[*open] = 1;
    const std::int64_t others = element_count(shape);
    if (open) {
      if (others == 0 ? elements != 0 : elements % others != 0)
        throw NodeProblem(
            fmt::format("its {} elements do not fill the shape {}", elements, fmt::join(*target, "x")));
      shape[*open] = others == 0 ? 0 : elements / others;
    } else if (others != elements) {
      throw NodeProblem(
          fmt::format("its {} elements do not fill the shape {}", elements, fmt::join(shape, "x")));
    }
  }
  set_reshaped(node, std::move(shape));
}

void infer_flatten(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr) return set_reshaped(node, Shape{unknown_length, unknown_length});
  std::int64_t axis = node.attributes().integer("axis", 1);
  if (axis < 0) axis += static_cast<std::int64_t>(input->size());
  if (axis < 0 || axis > static_cast<std::int64_t>(input->size()))
    throw NodeProblem(fmt::format("it names axis {} of a tensor that has {}", axis, input->size()));
  const auto product = [](Shape lengths) {
    return std::find(lengths.begin(), lengths.end(), unknown_length) != lengths.end()
               ? unknown_length
               : element_count(lengths);
  };
  set_reshaped(node, Shape{product(Shape(input->begin(), input->begin() + axis)),
                           product(Shape(input->begin() + axis, input->end()))});
}

void infer_squeeze(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr) return set_reshaped(node, std::nullopt);
  const auto axes = node.list(1, "axes");
  if (!axes && node.has_input(1)) return set_reshaped(node, std::nullopt);
  Shape shape;
  const auto removed = axes ? axes_from_front(*axes, input->size()) : std::vector<std::size_t>();
  for (std::size_t i = 0; i < input->size(); ++i) {
    const bool named = std::find(removed.begin(), removed.end(), i) != removed.end();
    if (named && (*input)[i] != 1 && (*input)[i] != unknown_length)
      throw NodeProblem(fmt::format("it removes axis {}, which has length {}", i, (*input)[i]));
    if (!(axes ? named : (*input)[i] == 1)) shape.push_back((*input)[i]);
  }
  set_reshaped(node, std::move(shape));
}

void infer_unsqueeze(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const auto axes = node.list(1, "axes");
  if (input == nullptr || !axes) return set_reshaped(node, std::nullopt);
  Shape shape(input->size() + axes->size(), 0);
  for (const std::size_t axis : axes_from_front(*axes, shape.size())) shape[axis] = 1;
  std::size_t next = 0;
  for (std::int64_t& length : shape) {
    if (length == 1) continue;
    if (next >= input->size()) throw NodeProblem("it names an axis twice");
    length = (*input)[next++];
  }
  if (next != input->size()) throw NodeProblem("it names an axis twice");
  set_reshaped(node, std::move(shape));
}

void infer_transpose(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr) return node.set(0, node.type(0), std::nullopt);
  std::vector<std::int64_t> order(input->size());
  std::iota(order.rbegin(), order.rend(), 0);
  if (const auto given = node.attributes().integers("perm")) order = *given;
  std::vector<std::int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> axes(input->size());
  std::iota(axes.begin(), axes.end(), 0);
  if (sorted != axes)
    throw NodeProblem(
        fmt::format("'perm' is [{}], which is no order of {} axes", fmt::join(order, ", "), input->size()));
  Shape shape;
  for (const std::int64_t axis : order) shape.push_back((*input)[static_cast<std::size_t>(axis)]);
  node.set(0, node.type(0), std::move(shape));
  const std::vector<std::int64_t> strides = row_major_strides(*input);
  std::vector<std::int64_t> permuted;
  for (const std::int64_t axis : order) permuted.push_back(strides[static_cast<std::size_t>(axis)]);
  take_elements(node, 0, 0, permuted);
}

// Expand broadcasts in both directions.
void infer_expand(const OperatorNode& node) {
  const auto* const target = node.integers(1);
  if (node.shape(0) == nullptr || target == nullptr) {
    const Shape* const list = node.shape(1);
    std::optional<Shape> unknown;
    if (node.shape(0) != nullptr && list != nullptr && list->size() == 1 && list->front() >= 0 &&
        list->front() < 64)
      unknown =
          Shape(std::max(node.shape(0)->size(), static_cast<std::size_t>(list->front())), unknown_length);
    return node.set(0, node.type(0), unknown);
  }
  const Shape shape = broadcast(*node.shape(0), *target);
  node.set(0, node.type(0), shape);
  take_elements(node, 0, 0, broadcast_strides(*node.shape(0), shape));
}

void infer_tile(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const auto* const repeats = node.integers(1);
  if (input == nullptr) return node.set(0, node.type(0), std::nullopt);
  Shape shape(input->size(), unknown_length);
  if (repeats != nullptr) {
    if (repeats->size() != input->size())
      throw NodeProblem(fmt::format("it has {} repeats for {} axes", repeats->size(), input->size()));
    for (std::size_t i = 0; i < shape.size(); ++i)
      if ((*input)[i] != unknown_length) shape[i] = (*input)[i] * std::max<std::int64_t>((*repeats)[i], 0);
  }
  node.set(0, node.type(0), shape);
  const auto* const values = node.integers(0);
  if (values == nullptr || repeats == nullptr || input->size() != 1) return;
  std::vector<std::int64_t> tiled;
  for (std::int64_t i = 0; i < repeats->front() && static_cast<std::int64_t>(tiled.size()) < most_values;
       ++i)
    tiled.insert(tiled.end(), values->begin(), values->end());
  if (static_cast<std::int64_t>(tiled.size()) == shape.front()) node.set_integers(0, std::move(tiled));
}

// Pad: the lengths before and after each axis, perhaps of chosen axes only.
struct PaddedAxis {
  std::int64_t before = 0, behind = 0;
};

/// By axis of the input; nothing when it depends on data.
std::optional<std::vector<PaddedAxis>> padded_axes(const OperatorNode& node) {
  const std::size_t count = node.shape(0)->size();
  auto pads = node.list(1, "pads");
  if (!pads && !node.has_input(1)) pads = node.attributes().integers("paddings");
  std::vector<std::size_t> axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has_input(3)) {
    const auto* const chosen = node.integers(3);
    if (chosen == nullptr) return std::nullopt;
    axes = axes_from_front(*chosen, count);
  }
  if (!pads) return std::nullopt;
  if (pads->size() != 2 * axes.size())
    throw NodeProblem(fmt::format("it has {} pads for {} axes", pads->size(), axes.size()));
  std::vector<PaddedAxis> padded(count);
  for (std::size_t i = 0; i < axes.size(); ++i) padded[axes[i]] = {(*pads)[i], (*pads)[i + axes.size()]};
  return padded;
}

void infer_pad(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr) return node.set(0, node.type(0), std::nullopt);
  Shape shape(input->size(), unknown_length);
  if (const auto padded = padded_axes(node)) {
    shape = *input;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      std::int64_t& length = shape[axis];
      if (length == unknown_length) continue;
      length += (*padded)[axis].before + (*padded)[axis].behind;
      if (length < 0) throw NodeProblem(fmt::format("it makes an axis of length {}", length));
    }
  }
  node.set(0, node.type(0), std::move(shape));
}

std::int64_t divided(std::int64_t length, std::int64_t by, const char* what) {
  if (length == unknown_length) return length;
  if (by < 1 || length % by != 0)
    throw NodeProblem(fmt::format("its {} of {} cannot be divided by {}", what, length, by));
  return length / by;
}

std::int64_t multiplied(std::int64_t length, std::int64_t by) {
  return length == unknown_length ? length : length * by;
}

void infer_depth_to_space(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr || input->size() != 4) return node.set(0, node.type(0), std::nullopt);
  const std::int64_t block = node.attributes().required_integer("blocksize");
  if (block < 1 || block > (1 << 15))
    throw NodeProblem(fmt::format("the attribute 'blocksize' is {}", block));
  node.set(0, node.type(0),
           Shape{(*input)[0], divided((*input)[1], block * block, "channels"),
                 multiplied((*input)[2], block), multiplied((*input)[3], block)});
}

void infer_space_to_depth(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr || input->size() != 4) return node.set(0, node.type(0), std::nullopt);
  const std::int64_t block = node.attributes().required_integer("blocksize");
  if (block < 1 || block > (1 << 15))
    throw NodeProblem(fmt::format("the attribute 'blocksize' is {}", block));
  node.set(0, node.type(0),
           Shape{(*input)[0], multiplied((*input)[1], block * block), divided((*input)[2], block, "height"),
                 divided((*input)[3], block, "width")});
}

}  // namespace

std::optional<std::vector<std::int64_t>> begin_in_pad(const OperatorNode& node) {
  const auto padded = padded_axes(node);
  if (!padded || node.attributes().text("mode", "constant") != "constant") return std::nullopt;
  std::vector<std::int64_t> begin;
  for (const PaddedAxis& axis : *padded) begin.push_back(axis.before);
  return begin;
}

std::vector<Operator> rearranging_operators() {
  constexpr auto none = Operator::Work::none;
  constexpr auto moves = Operator::Work::rearrangement;
  return {{standard_domain, "Shape", none, infer_shape},
          {standard_domain, "Size", none, infer_size},
          {standard_domain, "Identity", moves, infer_identity},
          {standard_domain, "Reshape", moves, infer_reshape},
          {standard_domain, "Flatten", moves, infer_flatten},
          {standard_domain, "Squeeze", moves, infer_squeeze},
          {standard_domain, "Unsqueeze", moves, infer_unsqueeze},
          {standard_domain, "Transpose", moves, infer_transpose},
          {standard_domain, "Expand", moves, infer_expand},
          {standard_domain, "Tile", moves, infer_tile},
          {standard_domain, "Pad", moves, infer_pad},
          {microsoft_domain, "Pad", moves, infer_pad},
          {microsoft_domain, "ExpandDims", moves, infer_unsqueeze},
          {standard_domain, "DepthToSpace", moves, infer_depth_to_space},
          {standard_domain, "SpaceToDepth", moves, infer_space_to_depth}};
}

namespace {

// Operators that join tensors or cut them, also into sequences of tensors (detail/sequences.hpp).

/// The elements of all inputs along the axis; nothing where some are unknown.
template <class List>
bool join_values(const OperatorNode& node, std::size_t axis,
                 const List* (OperatorNode::*values)(std::size_t) const) {
  const Shape& result = *node.output(0).shape;
  List all(static_cast<std::size_t>(element_count(result)));
  const std::vector<std::int64_t> strides = row_major_strides(result);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const List* const part = (node.*values)(i);
    if (part == nullptr) return false;
    walk_elements(*node.shape(i), {strides}, [&](std::size_t n, const std::vector<std::int64_t>& at) {
      all[static_cast<std::size_t>(begin * strides[axis] + at[0])] = (*part)[n];
    });
    begin += (*node.shape(i))[axis];
  }
  node.set_values(0, std::make_shared<const Values>(std::move(all)));
  return true;
}

void infer_concat(const OperatorNode& node) {
  std::optional<Shape> shape;
  std::size_t axis = 0;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Shape* const part = node.shape(i);
    if (part == nullptr) return node.set(0, node.type(0), std::nullopt);
    if (!shape) {
      axis = axis_from_front(node.attributes().integer("axis", 1), part->size());
      shape = *part;
      continue;
    }
    if (part->size() != shape->size())
      throw NodeProblem(fmt::format("its inputs have {} and {} axes", shape->size(), part->size()));
    for (std::size_t k = 0; k < part->size(); ++k) {
      std::int64_t& length = (*shape)[k];
      const std::int64_t other = (*part)[k];
      if (k == axis)
        length = length == unknown_length || other == unknown_length ? unknown_length : length + other;
      else if (length == unknown_length)
        length = other;
      else if (other != unknown_length && other != length)
        throw NodeProblem(
            fmt::format("its inputs have the lengths {} and {} in axis {}", length, other, k));
    }
  }
  node.set(0, node.type(0), shape);
  if (!may_have_values(shape)) return;
  if (!join_values(node, axis, &OperatorNode::integers)) join_values(node, axis, &OperatorNode::numbers);
}

// Split: lengths by an input or attribute, or equal ones.
void infer_split(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const std::size_t count = node.output_count();
  if (input == nullptr) {
    for (std::size_t i = 0; i < count; ++i) node.set(i, node.type(0), std::nullopt);
    return;
  }
  const std::size_t axis = axis_from_front(node.attributes().integer("axis", 0), input->size());
  const std::int64_t length = (*input)[axis];
  std::vector<std::int64_t> lengths(count, unknown_length);
  if (const auto given = node.list(1, "split")) {
    if (given->size() != count)
      throw NodeProblem(fmt::format("it has {} outputs and {} lengths", count, given->size()));
    lengths = *given;
    const std::int64_t sum = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    if (length != unknown_length && sum != length)
      throw NodeProblem(fmt::format("its parts have {} elements together, its input has {}", sum, length));
  } else if (length != unknown_length && !node.has_input(1) && count > 0) {
    const auto parts = static_cast<std::int64_t>(count);
    const std::int64_t size = (length + parts - 1) / parts;
    for (std::size_t i = 0; i < count; ++i)
      lengths[i] = std::clamp<std::int64_t>(length - static_cast<std::int64_t>(i) * size, 0, size);
  }
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Shape part = *input;
    part[axis] = lengths[i];
    node.set(i, node.type(0), part);
    if (lengths[i] == unknown_length) continue;
    const std::vector<std::int64_t> strides = row_major_strides(*input);
    take_elements(node, i, begin * strides[axis], strides);
    begin += lengths[i];
  }
}

// SplitToSequence has as many outputs here as the sequence has tensors. Without lengths each has one
// element along the axis, which may be left out.
void infer_split_to_sequence(const OperatorNode& node) {
  const Shape& input = node.full_shape(0);
  const std::size_t axis = axis_from_front(node.attributes().integer("axis", 0), input.size());
  const bool keeps_axis = node.has_input(1) || node.attributes().integer("keepdims", 1) != 0;
  const auto* const lengths = node.integers(1);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const bool one_length = lengths != nullptr && node.shape(1)->empty();
    const std::int64_t length = lengths == nullptr ? 1 : one_length ? lengths->front() : (*lengths)[i];
    Shape part = input;
    std::vector<std::int64_t> strides = row_major_strides(input);
    const std::int64_t first = begin * strides[axis];
    part[axis] = std::min(length, input[axis] - begin);
    if (part[axis] < 0) throw NodeProblem(fmt::format("it cuts an axis of length {} further", input[axis]));
    begin += part[axis];
    if (!keeps_axis) {
      part.erase(part.begin() + static_cast<std::ptrdiff_t>(axis));
      strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    node.set(i, node.type(0), std::move(part));
    take_elements(node, i, first, strides);
  }
}

// ConcatFromSequence has the tensors of the sequence as inputs here.
void infer_concat_from_sequence(const OperatorNode& node) {
  if (node.attributes().integer("new_axis", 0) == 0) return infer_concat(node);
  if (node.input_count() == 0 || node.shape(0) == nullptr) return node.set(0, node.type(0), std::nullopt);
  Shape shape = *node.shape(0);
  const std::size_t axis = axis_from_front(node.attributes().required_integer("axis"), shape.size() + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis),
               static_cast<std::int64_t>(node.input_count()));
  node.set(0, node.type(0), std::move(shape));
}

// Those that sequences.hpp does not follow, because they depend on data.
void infer_unknown_sequence(const OperatorNode& node) {
  for (std::size_t i = 0; i < node.output_count(); ++i) node.set(i, ElementType::unknown, std::nullopt);
  node.unknown_because("it is taken from an optional value, a text, or a sequence that depends on data");
}

}  // namespace

std::vector<Operator> joining_operators() {
  constexpr auto none = Operator::Work::none;
  constexpr auto moves = Operator::Work::rearrangement;
  std::vector<Operator> all = {{standard_domain, "Concat", moves, infer_concat},
                               {standard_domain, "Split", moves, infer_split},
                               {standard_domain, "SplitToSequence", moves, infer_split_to_sequence},
                               {standard_domain, "ConcatFromSequence", moves, infer_concat_from_sequence}};
  for (const char* name :
       {"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase", "SequenceAt",
        "SequenceLength", "SequenceMap", "Optional", "OptionalGetElement", "OptionalHasElement",
        "StringNormalizer", "StringSplit", "TfIdfVectorizer", "ImageDecoder"})
    all.push_back({standard_domain, name, none, infer_unknown_sequence});
  return all;
}

}  // namespace zz::core::onnx_import
