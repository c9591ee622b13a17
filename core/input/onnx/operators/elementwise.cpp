#include <cmath>
#include <functional>

#include "core/input/onnx/detail/element_walk.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Operators that work on elements one by one, on one, two or more tensors that are broadcast against each
// other.
namespace zz::core::onnx_import {
namespace {

std::optional<Shape> broadcast_inputs(const OperatorNode& node) {
  std::optional<Shape> result;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) continue;
    if (node.shape(i) == nullptr) return std::nullopt;
    result = result ? broadcast(*result, *node.shape(i)) : *node.shape(i);
  }
  return result;
}

// Before operator set 7 the second input was aligned by an attribute; the first one had the shape.
std::optional<Shape> result_shape(const OperatorNode& node) {
  if (node.operator_set() < 7 && node.attributes().find("broadcast") != nullptr)
    return node.shape_if_known(0);
  return broadcast_inputs(node);
}

template <class Result, class Element, class Compute>
void compute_binary(const OperatorNode& node, const Shape& shape, const std::vector<Element>& a,
                    const std::vector<Element>& b, const Compute& compute) {
  std::vector<Result> values(static_cast<std::size_t>(element_count(shape)));
  walk_elements(shape, {broadcast_strides(*node.shape(0), shape), broadcast_strides(*node.shape(1), shape)},
                [&](std::size_t n, const std::vector<std::int64_t>& at) {
                  values[n] = static_cast<Result>(
                      compute(a[static_cast<std::size_t>(at[0])], b[static_cast<std::size_t>(at[1])]));
                });
  node.set_values(0, std::make_shared<const Values>(std::move(values)));
}

/// Two inputs, the result of the first one's type.
template <class Compute>
void infer_arithmetic(const OperatorNode& node, const Compute& compute) {
  const std::optional<Shape> shape = result_shape(node);
  node.set(0, node.type(0), shape);
  if (!may_have_values(shape) || node.input_count() != 2) return;
  if (node.integers(0) && node.integers(1))
    compute_binary<std::int64_t>(node, *shape, *node.integers(0), *node.integers(1), compute);
  else if (node.numbers(0) && node.numbers(1))
    compute_binary<double>(node, *shape, *node.numbers(0), *node.numbers(1), compute);
}

/// Two inputs, the result a truth value.
template <class Compute>
void infer_comparison(const OperatorNode& node, const Compute& compute) {
  const std::optional<Shape> shape = result_shape(node);
  node.set(0, ElementType::boolean, shape);
  if (!may_have_values(shape)) return;
  if (node.integers(0) && node.integers(1))
    compute_binary<std::int64_t>(node, *shape, *node.integers(0), *node.integers(1), compute);
  else if (node.numbers(0) && node.numbers(1))
    compute_binary<std::int64_t>(node, *shape, *node.numbers(0), *node.numbers(1), compute);
}

// Arithmetic on 64 bits wraps around as in the runtime; unsigned numbers do so without undefined results.
template <class Compute>
std::int64_t wrapping(std::int64_t a, std::int64_t b, const Compute& compute) {
  return static_cast<std::int64_t>(compute(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

struct AddTwo {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return wrapping(a, b, std::plus<>()); }
  double operator()(double a, double b) const { return a + b; }
};
struct SubtractTwo {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return wrapping(a, b, std::minus<>()); }
  double operator()(double a, double b) const { return a - b; }
};
struct MultiplyTwo {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return wrapping(a, b, std::multiplies<>());
  }
  double operator()(double a, double b) const { return a * b; }
};
struct DivideTwo {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (b == 0) throw NodeProblem("it divides by 0");
    return b == -1 ? wrapping(0, a, std::minus<>()) : a / b;
  }
  double operator()(double a, double b) const { return a / b; }
};
struct FloorModulo {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (b == 0) throw NodeProblem("it divides by 0");
    if (b == -1) return 0;
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  double operator()(double a, double b) const { return std::fmod(a, b); }
};
struct PowerOfTwo {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    const double result = std::pow(static_cast<double>(a), static_cast<double>(b));
    return std::abs(result) < 9e18 ? static_cast<std::int64_t>(result) : 0;
  }
  double operator()(double a, double b) const { return std::pow(a, b); }
};
struct Larger {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Smaller {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

template <class Compute>
void arithmetic(const OperatorNode& node) {
  infer_arithmetic(node, Compute());
}
template <class Compute>
void comparison(const OperatorNode& node) {
  infer_comparison(node, Compute());
}

// A Cast, and what else gives one tensor another type.
void infer_cast(const OperatorNode& node) {
  const ElementType type = element_type(node.attributes().required_integer("to"));
  node.set(0, type, node.shape_if_known(0));
  if (const auto* integers = node.integers(0)) {
    if (is_floating(type))
      node.set_values(
          0, std::make_shared<const Values>(std::vector<double>(integers->begin(), integers->end())));
    else if (type == ElementType::boolean) {
      std::vector<std::int64_t> truths;
      for (const std::int64_t value : *integers) truths.push_back(value != 0);
      node.set_integers(0, std::move(truths));
    } else if (is_integral(type)) {
      node.set_integers(0, *integers);
    }
  } else if (const auto* numbers = node.numbers(0)) {
    if (is_floating(type)) {
      node.set_values(0, std::make_shared<const Values>(*numbers));
    } else if (is_integral(type)) {
      std::vector<std::int64_t> whole;
      for (const double value : *numbers) {
        if (type == ElementType::boolean)
          whole.push_back(value != 0);
        else if (std::abs(value) < 9e18)
          whole.push_back(static_cast<std::int64_t>(value));
        else
          return;  // no integer: what it means is the runtime's choice
      }
      node.set_integers(0, std::move(whole));
    }
  }
}

void infer_cast_like(const OperatorNode& node) { node.set(0, node.type(1), node.shape_if_known(0)); }

template <class Compute>
void infer_computed_unary(const OperatorNode& node, const Compute& compute) {
  infer_like_first_input(node);
  if (const auto* integers = node.integers(0)) {
    std::vector<std::int64_t> values;
    for (const std::int64_t value : *integers) values.push_back(compute(value));
    node.set_integers(0, std::move(values));
  } else if (const auto* numbers = node.numbers(0)) {
    std::vector<double> values;
    for (const double value : *numbers) values.push_back(compute(value));
    node.set_values(0, std::make_shared<const Values>(std::move(values)));
  }
}

struct Negate {
  std::int64_t operator()(std::int64_t a) const { return wrapping(0, a, std::minus<>()); }
  double operator()(double a) const { return -a; }
};
struct Magnitude {
  std::int64_t operator()(std::int64_t a) const { return a < 0 ? wrapping(0, a, std::minus<>()) : a; }
  double operator()(double a) const { return std::abs(a); }
};
struct RoundDown {
  std::int64_t operator()(std::int64_t a) const { return a; }
  double operator()(double a) const { return std::floor(a); }
};
struct RoundUp {
  std::int64_t operator()(std::int64_t a) const { return a; }
  double operator()(double a) const { return std::ceil(a); }
};
struct RoundNearest {
  std::int64_t operator()(std::int64_t a) const { return a; }
  double operator()(double a) const { return std::nearbyint(a); }
};
struct SquareRoot {
  std::int64_t operator()(std::int64_t a) const {
    return static_cast<std::int64_t>(std::sqrt(static_cast<double>(a)));
  }
  double operator()(double a) const { return std::sqrt(a); }
};
struct Reciprocal {
  std::int64_t operator()(std::int64_t a) const {
    if (a == 0) throw NodeProblem("it divides by 0");
    return 1 / a;
  }
  double operator()(double a) const { return 1 / a; }
};
struct Rectify {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? T(0) : a;
  }
};

template <class Compute>
void computed(const OperatorNode& node) {
  infer_computed_unary(node, Compute());
}

/// A test of every element.
void infer_test(const OperatorNode& node) { node.set(0, ElementType::boolean, node.shape_if_known(0)); }

void infer_not(const OperatorNode& node) {
  infer_test(node);
  if (const auto* integers = node.integers(0)) {
    std::vector<std::int64_t> values;
    for (const std::int64_t value : *integers) values.push_back(value == 0);
    node.set_integers(0, std::move(values));
  }
}

// Min, Max, Sum and Mean take any number of tensors.
template <class Compute>
void infer_many(const OperatorNode& node) {
  if (node.input_count() == 2) return infer_arithmetic(node, Compute());
  node.set(0, node.type(0), broadcast_inputs(node));
  if (node.input_count() == 1) node.set_values(0, node.input(0).values);
}

void infer_broadcast(const OperatorNode& node) { node.set(0, node.type(0), broadcast_inputs(node)); }

// MulInteger: two tensors, each with a zero point behind it.
void infer_integer_pair(const OperatorNode& node) {
  std::optional<Shape> shape = node.shape_if_known(0);
  if (shape && node.shape(2) != nullptr)
    shape = broadcast(*shape, *node.shape(2));
  else
    shape.reset();
  node.set(0, ElementType::int32, std::move(shape));
}

// IsAllFinite: one answer for all inputs.
void infer_one_test(const OperatorNode& node) { node.set(0, ElementType::boolean, Shape{}); }

// Where: condition, then, else.
void infer_where(const OperatorNode& node) {
  const std::optional<Shape> shape = broadcast_inputs(node);
  node.set(0, node.type(1), shape);
  const auto* const condition = node.integers(0);
  if (!may_have_values(shape) || condition == nullptr) return;
  const auto choose = [&](const auto& yes, const auto& no) {
    std::decay_t<decltype(yes)> values(static_cast<std::size_t>(element_count(*shape)));
    const auto strides = [&](std::size_t input) { return broadcast_strides(*node.shape(input), *shape); };
    walk_elements(*shape, {strides(0), strides(1), strides(2)},
                  [&](std::size_t n, const std::vector<std::int64_t>& at) {
                    values[n] = (*condition)[static_cast<std::size_t>(at[0])] != 0
                                    ? yes[static_cast<std::size_t>(at[1])]
                                    : no[static_cast<std::size_t>(at[2])];
                  });
    node.set_values(0, std::make_shared<const Values>(std::move(values)));
  };
  if (node.integers(1) && node.integers(2)) choose(*node.integers(1), *node.integers(2));
  if (node.numbers(1) && node.numbers(2)) choose(*node.numbers(1), *node.numbers(2));
}

// Clip: input, smallest, largest; both were attributes before operator set 11.
void infer_clip(const OperatorNode& node) {
  infer_like_first_input(node);
  const auto* const integers = node.integers(0);
  if (integers == nullptr) return;
  std::vector<std::int64_t> values = *integers;
  for (std::size_t bound = 1; bound <= 2; ++bound) {
    if (!node.has_input(bound)) continue;
    const auto* const limit = node.integers(bound);
    if (limit == nullptr || limit->empty()) return;
    for (std::int64_t& value : values)
      value = bound == 1 ? std::max(value, limit->front()) : std::min(value, limit->front());
  }
  node.set_integers(0, std::move(values));
}

// The same bits as another type.
void infer_bit_cast(const OperatorNode& node) {
  node.set(0, element_type(node.attributes().required_integer("to")), node.shape_if_known(0));
}

// BiasSplitGelu multiplies one half of each row by the other.
void infer_split_activation(const OperatorNode& node) {
  std::optional<Shape> shape = node.shape_if_known(0);
  if (shape && !shape->empty() && shape->back() != unknown_length) shape->back() /= 2;
  node.set(0, node.type(0), std::move(shape));
}

// QLinearWhere: condition, then a tensor, its scale and zero point, and another such.
void infer_quantised_where(const OperatorNode& node) {
  std::optional<Shape> shape;
  if (node.shape(0) != nullptr && node.shape(1) != nullptr && node.shape(4) != nullptr)
    shape = broadcast(broadcast(*node.shape(0), *node.shape(1)), *node.shape(4));
  node.set(0, node.type(1), std::move(shape));
}

// PRelu keeps the shape of its first input; Dropout has a mask besides.
void infer_dropout(const OperatorNode& node) {
  infer_like_first_input(node);
  node.set(1, ElementType::boolean, node.shape_if_known(0));
  if (node.has_input(0)) node.set_values(0, node.input(0).values);
}

}  // namespace

std::vector<Operator> elementwise_operators() {
  std::vector<Operator> all;
  const auto add = [&](const char* name, void (*infer)(const OperatorNode&)) {
    all.push_back({standard_domain, name, Operator::Work::vector, infer});
  };
  add("Add", arithmetic<AddTwo>);
  add("Sub", arithmetic<SubtractTwo>);
  add("Mul", arithmetic<MultiplyTwo>);
  add("Div", arithmetic<DivideTwo>);
  add("Mod", arithmetic<FloorModulo>);
  add("Pow", arithmetic<PowerOfTwo>);
  add("Max", infer_many<Larger>);
  add("Min", infer_many<Smaller>);
  add("Sum", infer_many<AddTwo>);
  add("Mean", infer_broadcast);
  add("Equal", comparison<std::equal_to<>>);
  add("Greater", comparison<std::greater<>>);
  add("GreaterOrEqual", comparison<std::greater_equal<>>);
  add("Less", comparison<std::less<>>);
  add("LessOrEqual", comparison<std::less_equal<>>);
  add("And", comparison<std::logical_and<>>);
  add("Or", comparison<std::logical_or<>>);
  add("Xor", comparison<std::not_equal_to<>>);
  add("Where", infer_where);
  add("Cast", infer_cast);
  add("CastLike", infer_cast_like);
  add("Not", infer_not);
  add("IsNaN", infer_test);
  add("IsInf", infer_test);
  add("Neg", computed<Negate>);
  add("Abs", computed<Magnitude>);
  add("Floor", computed<RoundDown>);
  add("Ceil", computed<RoundUp>);
  add("Round", computed<RoundNearest>);
  add("Sqrt", computed<SquareRoot>);
  add("Reciprocal", computed<Reciprocal>);
  add("Relu", computed<Rectify>);
  add("Clip", infer_clip);
  add("Dropout", infer_dropout);
  for (const char* name : {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"}) add(name, infer_broadcast);
  for (const char* name : {"Acos",       "Acosh",    "Asin",
                           "Asinh",      "Atan",     "Atanh",
                           "BitwiseNot", "Celu",     "Cos",
                           "Cosh",       "Elu",      "Erf",
                           "Exp",        "Gelu",     "HardSigmoid",
                           "HardSwish",  "Hardmax",  "LeakyRelu",
                           "Log",        "Mish",     "PRelu",
                           "Selu",       "Shrink",   "Sigmoid",
                           "Sign",       "Sin",      "Sinh",
                           "Softplus",   "Softsign", "Swish",
                           "Tan",        "Tanh",     "ThresholdedRelu",
                           "Affine",     "Scale",    "ParametricSoftplus",
                           "ScaledTanh", "CumSum",   "CumProd",
                           "Trilu",      "SwiGLU"})
    add(name, infer_like_first_input);
  all.push_back({standard_domain, "BitCast", Operator::Work::rearrangement, infer_bit_cast});
  for (const char* name :
       {"BiasGelu", "FastGelu", "Gelu", "QuickGelu", "BiasAdd", "BiasDropout", "BitmaskDropout",
        "BitmaskBiasDropout", "Trilu", "ComplexMul", "ComplexMulConj", "QOrderedGelu", "Inverse"})
    all.push_back({microsoft_domain, name, Operator::Work::vector, infer_like_first_input});
  all.push_back({microsoft_domain, "BiasSplitGelu", Operator::Work::vector, infer_split_activation});
  all.push_back({microsoft_domain, "QLinearWhere", Operator::Work::vector, infer_quantised_where});
  all.push_back({microsoft_domain, "MulInteger", Operator::Work::vector, infer_integer_pair});
  all.push_back({microsoft_domain, "IsAllFinite", Operator::Work::vector, infer_one_test});
  add("StringConcat", infer_broadcast);
  add("RegexFullMatch", infer_test);
  return all;
}

}  // namespace zz::core::onnx_import
