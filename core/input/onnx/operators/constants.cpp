#include <cmath>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/input/onnx/operators/operator.hpp"

// Constants, and tensors that are made from sizes alone.
namespace zz::core::onnx_import {
namespace {

void set_list(const OperatorNode& node, ElementType type, Values values, bool scalar) {
  const auto count =
      std::visit([](const auto& list) { return static_cast<std::int64_t>(list.size()); }, values);
  node.set(0, type, scalar ? Shape{} : Shape{count});
  node.set_values(0, std::make_shared<const Values>(std::move(values)));
}

void infer_constant(const OperatorNode& node) {
  const Attributes& attributes = node.attributes();
  const auto from_tensor = [&](const onnx::TensorProto& tensor) {
    node.set(0, element_type(tensor.data_type()), Shape(tensor.dims().begin(), tensor.dims().end()));
    node.set_values(0, read_values(tensor));
  };
  if (const auto* value = attributes.find("value"); value != nullptr && value->has_t()) {
    from_tensor(value->t());
  } else if (const auto* one = attributes.find("value_int")) {
    set_list(node, ElementType::int64, std::vector<std::int64_t>{one->i()}, true);
  } else if (const auto* real = attributes.find("value_float")) {
    set_list(node, ElementType::float32, std::vector<double>{real->f()}, true);
  } else if (const auto* list = attributes.find("value_ints")) {
    set_list(node, ElementType::int64, std::vector<std::int64_t>(list->ints().begin(), list->ints().end()),
             false);
  } else if (const auto* reals = attributes.find("value_floats")) {
    set_list(node, ElementType::float32,
             std::vector<double>(reals->floats().begin(), reals->floats().end()), false);
  } else if (attributes.find("value_string") != nullptr) {
    node.set(0, ElementType::string, Shape{});
  } else if (const auto* texts = attributes.find("value_strings")) {
    node.set(0, ElementType::string, Shape{static_cast<std::int64_t>(texts->strings_size())});
  } else if (const auto* sparse = attributes.find("sparse_value")) {
    const auto& dims = sparse->sparse_tensor().dims();
    node.set(0, element_type(sparse->sparse_tensor().values().data_type()),
             Shape(dims.begin(), dims.end()));
  } else {
    throw NodeProblem("it holds no value");
  }
}

Shape checked_lengths(const std::vector<std::int64_t>& lengths) {
  for (const std::int64_t length : lengths)
    if (length < 0) throw NodeProblem(fmt::format("it makes an axis of length {}", length));
  return lengths;
}

/// The shape that input 0 lists, or one of unknown lengths.
std::optional<Shape> listed_shape(const OperatorNode& node) {
  if (const auto* lengths = node.integers(0)) return checked_lengths(*lengths);
  const Shape* const list = node.shape(0);
  if (list != nullptr && list->size() == 1 && list->front() >= 0 && list->front() < 64)
    return Shape(static_cast<std::size_t>(list->front()), unknown_length);
  return std::nullopt;
}

void infer_constant_of_shape(const OperatorNode& node) {
  ElementType type = ElementType::float32;
  Values value = std::vector<double>{0};
  if (const auto* given = node.attributes().find("value"); given != nullptr && given->has_t()) {
    type = element_type(given->t().data_type());
    if (const auto values = read_values(given->t())) value = *values;
  }
  const std::optional<Shape> shape = listed_shape(node);
  node.set(0, type, shape);
  if (!node.integers(0) || element_count(*shape) > most_values) return;
  const auto count = static_cast<std::size_t>(element_count(*shape));
  std::visit(
      [&](const auto& one) {
        if (one.empty()) return;
        node.set_values(
            0, std::make_shared<const Values>(typename std::decay_t<decltype(one)>(count, one.front())));
      },
      value);
}

// Range: start, limit, delta.
void infer_range(const OperatorNode& node) {
  node.set(0, node.type(0), Shape{unknown_length});
  const auto count_of = [](double start, double limit, double delta) {
    if (delta == 0) throw NodeProblem("its step is 0");
    return std::max<double>(std::ceil((limit - start) / delta), 0);
  };
  const auto make = [&](const auto& start, const auto& limit, const auto& delta) {
    if (start.empty() || limit.empty() || delta.empty()) return;
    const double count = count_of(static_cast<double>(start[0]), static_cast<double>(limit[0]),
                                  static_cast<double>(delta[0]));
    if (!(count < 9e15)) throw NodeProblem("it has too many elements");
    node.set(0, node.type(0), Shape{static_cast<std::int64_t>(count)});
    if (count > static_cast<double>(most_values)) return;
    auto values = start;
    values.resize(static_cast<std::size_t>(count));
    auto next = start[0];
    for (auto& value : values) {
      value = next;
      next += delta[0];
    }
    node.set_values(0, std::make_shared<const Values>(std::move(values)));
  };
  if (node.integers(0) && node.integers(1) && node.integers(2))
    make(*node.integers(0), *node.integers(1), *node.integers(2));
  else if (node.numbers(0) && node.numbers(1) && node.numbers(2))
    make(*node.numbers(0), *node.numbers(1), *node.numbers(2));
  else
    node.unknown_because("its length depends on data");
}

void infer_random(const OperatorNode& node) {
  std::optional<Shape> shape;
  if (const auto lengths = node.attributes().integers("shape")) shape = checked_lengths(*lengths);
  node.set(0, element_type(node.attributes().integer("dtype", 1)), shape);
}

void infer_like_input(const OperatorNode& node) {
  const auto type = element_type(node.attributes().integer("dtype", static_cast<int>(node.type(0))));
  node.set(0, type, node.shape_if_known(0));
}

// OneHot: indices, depth, values.
void infer_one_hot(const OperatorNode& node) {
  const Shape* const indices = node.shape(0);
  if (indices == nullptr) return node.set(0, node.type(2), std::nullopt);
  Shape shape = *indices;
  std::int64_t depth = unknown_length;
  if (const auto* known = node.integers(1); known != nullptr && !known->empty())
    depth = known->front();
  else if (const auto* real = node.numbers(1);
           real != nullptr && !real->empty() && std::abs(real->front()) < 9e15)
    depth = static_cast<std::int64_t>(real->front());
  const std::size_t axis = axis_from_front(node.attributes().integer("axis", -1), shape.size() + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  node.set(0, node.type(2), std::move(shape));
}

void infer_window(const OperatorNode& node) {
  const auto* const size = node.integers(0);
  node.set(0, element_type(node.attributes().integer("output_datatype", 1)),
           Shape{size != nullptr && !size->empty() ? size->front() : unknown_length});
}

}  // namespace

std::vector<Operator> constant_operators() {
  constexpr auto none = Operator::Work::none;
  return {{standard_domain, "Constant", none, infer_constant},
          {standard_domain, "ConstantOfShape", none, infer_constant_of_shape},
          {standard_domain, "Range", none, infer_range},
          {microsoft_domain, "Range", none, infer_range},
          {standard_domain, "EyeLike", none, infer_like_input},
          {standard_domain, "RandomNormal", none, infer_random},
          {standard_domain, "RandomUniform", none, infer_random},
          {standard_domain, "RandomNormalLike", none, infer_like_input},
          {standard_domain, "RandomUniformLike", none, infer_like_input},
          {standard_domain, "Bernoulli", Operator::Work::vector, infer_like_input},
          {standard_domain, "OneHot", Operator::Work::vector, infer_one_hot},
          {standard_domain, "HannWindow", none, infer_window},
          {standard_domain, "HammingWindow", none, infer_window},
          {standard_domain, "BlackmanWindow", none, infer_window}};
}

}  // namespace zz::core::onnx_import
