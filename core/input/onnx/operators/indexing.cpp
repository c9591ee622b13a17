#include <algorithm>
#include <fmt/format.h>

#include "core/input/onnx/detail/element_walk.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Operators that take or write elements at places that are given.
namespace zz::core::onnx_import {
namespace {

void infer_gather(const OperatorNode& node) {
  const Shape* const data = node.shape(0);
  const Shape* const indices = node.shape(1);
  if (data == nullptr || indices == nullptr) return node.set(0, node.type(0), std::nullopt);
  const std::size_t axis = axis_from_front(node.attributes().integer("axis", 0), data->size());
  Shape shape(data->begin(), data->begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), data->begin() + static_cast<std::ptrdiff_t>(axis) + 1, data->end());
  node.set(0, node.type(0), std::move(shape));
  const auto* const places = node.integers(1);
  if (places == nullptr || !node.input(0).values || !may_have_values(node.output(0).shape)) return;
  const std::int64_t length = (*data)[axis];
  const std::int64_t inner =
      element_count(Shape(data->begin() + static_cast<std::ptrdiff_t>(axis) + 1, data->end()));
  const std::int64_t outer =
      element_count(Shape(data->begin(), data->begin() + static_cast<std::ptrdiff_t>(axis)));
  std::visit(
      [&](const auto& list) {
        std::decay_t<decltype(list)> taken;
        for (std::int64_t block = 0; block < outer; ++block) {
          for (std::int64_t place : *places) {
            if (place < 0) place += length;
            if (place < 0 || place >= length)
              throw NodeProblem(fmt::format("it takes element {} of an axis that has {}", place, length));
            const auto first = list.begin() + (block * length + place) * inner;
            taken.insert(taken.end(), first, first + inner);
          }
        }
        node.set_values(0, std::make_shared<const Values>(std::move(taken)));
      },
      *node.input(0).values);
}

void infer_gather_elements(const OperatorNode& node) { node.set(0, node.type(0), node.shape_if_known(1)); }

void infer_gather_nd(const OperatorNode& node) {
  const Shape* const data = node.shape(0);
  const Shape* const indices = node.shape(1);
  if (data == nullptr || indices == nullptr || indices->empty() || indices->back() == unknown_length)
    return node.set(0, node.type(0), std::nullopt);
  const std::int64_t batch = node.attributes().integer("batch_dims", 0);
  const std::int64_t named = batch + indices->back();
  if (batch < 0 || named < 0 || named > static_cast<std::int64_t>(data->size()))
    throw NodeProblem(fmt::format("its indices name {} axes of a tensor that has {}", named, data->size()));
  Shape shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), data->begin() + named, data->end());
  node.set(0, node.type(0), std::move(shape));
}

struct Cut {
  std::int64_t axis, start, end, step;
};

std::int64_t cut_length(std::int64_t length, const Cut& cut, std::int64_t& first) {
  if (cut.step == 0) throw NodeProblem("a step of it is 0");
  const bool forward = cut.step > 0;
  const auto bound = [&](std::int64_t value) {
    if (value < 0) value = value < -length ? -1 - length : value + length;
    return std::clamp<std::int64_t>(value, forward ? 0 : -1, forward ? length : length - 1);
  };
  // The start is an element, so that -1 before the first one is no start.
  first = forward
              ? bound(cut.start)
              : std::clamp<std::int64_t>(cut.start < 0 ? cut.start + length : cut.start, -1, length - 1);
  const std::int64_t end = cut.end < -length && !forward ? -1 : bound(cut.end);
  const std::int64_t distance = forward ? end - first : first - end;
  if (distance <= 0) return 0;
  const std::uint64_t step =
      forward ? static_cast<std::uint64_t>(cut.step) : 0 - static_cast<std::uint64_t>(cut.step);
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) + step - 1) / step);
}

// Slice: starts, ends, axes and steps are inputs since operator set 10.
struct SliceBounds {
  std::vector<std::size_t> axes;  ///< that it cuts
  std::vector<Cut> cuts;          ///< one for each of them; empty: they depend on data
  bool axes_known = true;
};

SliceBounds slice_bounds(const OperatorNode& node) {
  const Shape& input = *node.shape(0);
  const auto list = [&](std::size_t place, const char* name,
                        bool& known) -> std::optional<std::vector<std::int64_t>> {
    if (node.has_input(place)) {
      if (const auto* values = node.integers(place)) return *values;
      known = false;
      return std::nullopt;
    }
    return node.attributes().integers(name);
  };
  bool bounds_known = true;
  SliceBounds bounds;
  const auto starts = list(1, "starts", bounds_known);
  const auto ends = list(2, "ends", bounds_known);
  const auto axes = list(3, "axes", bounds.axes_known);
  const auto steps = list(4, "steps", bounds_known);
  if (!bounds.axes_known) return bounds;
  std::size_t count = input.size();
  if (axes)
    count = axes->size();
  else if (starts)
    count = starts->size();
  else if (node.shape(1) != nullptr && node.shape(1)->size() == 1 && node.shape(1)->front() >= 0)
    count = static_cast<std::size_t>(node.shape(1)->front());
  std::vector<std::int64_t> named(count);
  for (std::size_t i = 0; i < count; ++i) named[i] = axes ? (*axes)[i] : static_cast<std::int64_t>(i);
  bounds.axes = axes_from_front(named, input.size());
  if (!bounds_known || !starts || !ends) return bounds;
  if (starts->size() != count || ends->size() != count || (steps && steps->size() != count))
    throw NodeProblem("its starts, ends, axes and steps differ in number");
  for (std::size_t i = 0; i < count; ++i)
    bounds.cuts.push_back({named[i], (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1});
  return bounds;
}

TakenElements taken_by(const SliceBounds& bounds, const Shape& input) {
  TakenElements taken{input, row_major_strides(input), 0};
  for (std::size_t i = 0; i < bounds.cuts.size(); ++i) {
    const std::size_t axis = bounds.axes[i];
    std::int64_t& length = taken.shape[axis];
    std::int64_t begin = 0;
    if (length != unknown_length) length = cut_length(length, bounds.cuts[i], begin);
    if (length > 0) taken.first += begin * taken.strides[axis];
    if (length > 1) taken.strides[axis] *= bounds.cuts[i].step;
  }
  return taken;
}

void infer_slice(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr) return node.set(0, node.type(0), std::nullopt);
  const SliceBounds bounds = slice_bounds(node);
  if (!bounds.axes_known) return node.set(0, node.type(0), Shape(input->size(), unknown_length));
  if (bounds.cuts.size() != bounds.axes.size()) {
    Shape shape = *input;
    for (const std::size_t axis : bounds.axes) shape[axis] = unknown_length;
    node.set(0, node.type(0), std::move(shape));
    return node.unknown_because("what it cuts out depends on data");
  }
  const TakenElements taken = taken_by(bounds, *input);
  node.set(0, node.type(0), taken.shape);
  if (node.input(0).has_full_shape()) take_elements(node, 0, taken.first, taken.strides);
}

// NonZero: one column for each element that is not 0.
void infer_non_zero(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const std::int64_t rows = input != nullptr ? static_cast<std::int64_t>(input->size()) : unknown_length;
  std::int64_t columns = unknown_length;
  if (const auto* values = node.integers(0))
    columns = static_cast<std::int64_t>(values->size()) - std::count(values->begin(), values->end(), 0);
  else if (const auto* numbers = node.numbers(0))
    columns =
        static_cast<std::int64_t>(numbers->size()) - std::count(numbers->begin(), numbers->end(), 0.0);
  else
    node.unknown_because("how many elements are not 0 is known at run time only");
  node.set(0, ElementType::int64, Shape{rows, columns});
  const auto* const values = node.integers(0);
  if (values == nullptr || rows != 1) return;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < values->size(); ++i)
    if ((*values)[i] != 0) places.push_back(static_cast<std::int64_t>(i));
  node.set_integers(0, std::move(places));
}

// The elements kept depend on data: rows that are known at run time only.
void infer_compress(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  std::int64_t kept = unknown_length;
  if (const auto* values = node.integers(1))
    kept = static_cast<std::int64_t>(values->size()) - std::count(values->begin(), values->end(), 0);
  else
    node.unknown_because("how many elements it keeps is known at run time only");
  if (node.attributes().find("axis") == nullptr) return node.set(0, node.type(0), Shape{kept});
  if (input == nullptr) return node.set(0, node.type(0), std::nullopt);
  Shape shape = *input;
  shape[axis_from_front(node.attributes().integer("axis", 0), shape.size())] = kept;
  node.set(0, node.type(0), std::move(shape));
}

void infer_unique(const OperatorNode& node) {
  node.unknown_because("how many elements differ is known at run time only");
  std::optional<Shape> shape = Shape{unknown_length};
  if (node.attributes().find("axis") != nullptr) {
    shape = node.shape_if_known(0);
    if (shape)
      (*shape)[axis_from_front(node.attributes().integer("axis", 0), shape->size())] = unknown_length;
  }
  node.set(0, node.type(0), shape);
  for (std::size_t i = 1; i < node.output_count(); ++i)
    node.set(i, ElementType::int64, Shape{unknown_length});
}

// Embedding of words, positions and segments, and their normalisation (com.microsoft).
void infer_embed_layer_normalization(const OperatorNode& node) {
  const Shape* const words = node.shape(0);
  const Shape* const table = node.shape(2);
  std::optional<Shape> shape;
  if (words != nullptr && words->size() == 2 && table != nullptr && table->size() == 2)
    shape = Shape{(*words)[0], (*words)[1], (*table)[1]};
  node.set(0, node.type(2), shape);
  node.set(1, ElementType::int32,
           words != nullptr && !words->empty() ? std::optional(Shape{words->front()}) : std::nullopt);
  node.set(2, node.type(2), shape);
}

// The same with tables of bytes, whose scales and zero points follow.
void infer_quantised_embed(const OperatorNode& node) {
  infer_embed_layer_normalization(node);
  node.set(0, ElementType::float32, node.output(0).shape);
}

// RemovePadding: rows of all sequences one behind the other; where each begins; the longest.
void infer_remove_padding(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const bool rows = input != nullptr && input->size() == 3;
  node.set(0, node.type(0), rows ? std::optional(Shape{unknown_length, input->back()}) : std::nullopt);
  node.unknown_because("how many tokens remain without padding is known at run time only");
  const std::int64_t batch = rows ? input->front() : unknown_length;
  node.set(1, ElementType::int32, Shape{batch, rows ? (*input)[1] : unknown_length});
  node.set(2, ElementType::int32, Shape{batch == unknown_length ? batch : batch + 1});
  node.set(3, ElementType::int32, Shape{1});
}

// RestorePadding: rows, and the table that RemovePadding made.
void infer_restore_padding(const OperatorNode& node) {
  const Shape* const rows = node.shape(0);
  const Shape* const table = node.shape(1);
  std::optional<Shape> shape;
  if (rows != nullptr && rows->size() == 2 && table != nullptr && table->size() == 2)
    shape = Shape{table->front(), table->back(), rows->back()};
  node.set(0, node.type(0), std::move(shape));
}

// RelativePositionBias: a table of heads, and the lengths of queries and keys.
void infer_relative_position_bias(const OperatorNode& node) {
  const Shape* const table = node.shape(0);
  const auto length = [&](std::size_t input) {
    const auto* const values = node.integers(input);
    return values != nullptr && values->size() == 1 ? values->front() : unknown_length;
  };
  node.set(0, node.type(0),
           Shape{1, table != nullptr && table->size() == 2 ? table->back() : unknown_length, length(1),
                 length(2)});
}

void infer_gather_block_quantized(const OperatorNode& node) {
  const Shape* const data = node.shape(0);
  const Shape* const indices = node.shape(1);
  const ElementType type = node.type(2);
  if (data == nullptr || indices == nullptr) return node.set(0, type, std::nullopt);
  const std::size_t axis = axis_from_front(node.attributes().integer("gather_axis", 0), data->size());
  Shape shape(data->begin(), data->begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), data->begin() + static_cast<std::ptrdiff_t>(axis) + 1, data->end());
  const std::int64_t bits = node.attributes().integer("bits", 4);
  if (node.type(0) == ElementType::uint8 && bits > 0 && bits < 8 && shape.back() != unknown_length)
    shape.back() *= 8 / bits;
  node.set(0, type, std::move(shape));
}

}  // namespace

std::optional<TakenElements> taken_by_slice(const OperatorNode& node) {
  const SliceBounds bounds = slice_bounds(node);
  if (!bounds.axes_known || bounds.cuts.size() != bounds.axes.size()) return std::nullopt;
  return taken_by(bounds, *node.shape(0));
}

std::vector<Operator> indexing_operators() {
  constexpr auto moves = Operator::Work::rearrangement;
  constexpr auto vector = Operator::Work::vector;
  return {{standard_domain, "Gather", moves, infer_gather},
          {standard_domain, "GatherElements", moves, infer_gather_elements},
          {standard_domain, "GatherND", moves, infer_gather_nd},
          {standard_domain, "Slice", moves, infer_slice},
          {standard_domain, "Scatter", moves, infer_like_first_input},
          {standard_domain, "ScatterElements", moves, infer_like_first_input},
          {standard_domain, "ScatterND", moves, infer_like_first_input},
          {standard_domain, "TensorScatter", moves, infer_like_first_input},
          {standard_domain, "ReverseSequence", moves, infer_like_first_input},
          {standard_domain, "NonZero", vector, infer_non_zero},
          {standard_domain, "Compress", moves, infer_compress},
          {standard_domain, "Unique", vector, infer_unique},
          {microsoft_domain, "GatherND", moves, infer_gather_nd},
          {microsoft_domain, "TorchEmbedding", moves, infer_gather},
          {microsoft_domain, "Unique", vector, infer_unique},
          {microsoft_domain, "RemovePadding", moves, infer_remove_padding},
          {microsoft_domain, "RestorePadding", moves, infer_restore_padding},
          {microsoft_domain, "RelativePositionBias", moves, infer_relative_position_bias},
          {microsoft_domain, "EmbedLayerNormalization", vector, infer_embed_layer_normalization},
          {microsoft_domain, "QEmbedLayerNormalization", vector, infer_quantised_embed},
          {microsoft_domain, "GatherBlockQuantized", moves, infer_gather_block_quantized}};
}

}  // namespace zz::core::onnx_import
