#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "core/input/onnx/operators/element_walk.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Operators that join tensors or cut them, also into sequences of tensors (sequences.hpp).
namespace zz::core::onnx_import {
namespace {

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
  for (const char* name : {"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase",
                           "SequenceAt", "SequenceLength", "SequenceMap", "Optional", "OptionalGetElement",
                           "OptionalHasElement", "StringNormalizer", "TfIdfVectorizer"})
    all.push_back({standard_domain, name, none, infer_unknown_sequence});
  return all;
}

}  // namespace zz::core::onnx_import
