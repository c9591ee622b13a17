#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "core/input/onnx/operators/operator.hpp"

// Operators that make one element of many.
namespace zz::core::onnx_import {
namespace {

std::optional<Shape> reduced(const Shape& input, const std::vector<std::size_t>& axes, bool keeps) {
  Shape shape;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const bool gone = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!gone)
      shape.push_back(input[i]);
    else if (keeps)
      shape.push_back(1);
  }
  return shape;
}

/// Axes are an input since operator set 18 (13 for ReduceSum), and were an attribute before. None: all.
bool infer_reduced(const OperatorNode& node, bool axes_as_input = true) {
  const Shape* const input = node.shape(0);
  const bool keeps = node.attributes().integer("keepdims", 1) != 0;
  std::optional<std::vector<std::int64_t>> axes;
  if (axes_as_input && node.has_input(1)) {
    const auto* const given = node.integers(1);
    if (given == nullptr) {
      node.set(
          0, node.type(0),
          input != nullptr && keeps ? std::optional(Shape(input->size(), unknown_length)) : std::nullopt);
      return false;
    }
    axes = *given;
  } else {
    axes = node.attributes().integers("axes");
  }
  if (input == nullptr) {
    node.set(0, node.type(0), std::nullopt);
    return false;
  }
  if (!axes || axes->empty()) {
    if (node.attributes().integer("noop_with_empty_axes", 0) != 0) {
      node.set(0, node.type(0), *input);
      return false;
    }
    node.set(0, node.type(0), keeps ? Shape(input->size(), 1) : Shape{});
    return true;
  }
  const auto places = axes_from_front(*axes, input->size());
  node.set(0, node.type(0), reduced(*input, places, keeps));
  return places.size() == input->size();
}

void infer_reduction(const OperatorNode& node) { infer_reduced(node); }
// Behind the tensor are scales and zero points.
void infer_quantised_reduction(const OperatorNode& node) { infer_reduced(node, false); }

/// Where all elements become one, its value follows from theirs.
template <class Combine>
void infer_whole(const OperatorNode& node, const Combine& combine) {
  const bool whole = infer_reduced(node);
  if (!whole || !node.input(0).values) return;
  std::visit(
      [&](const auto& list) {
        if (list.empty()) return;
        auto result = list.front();
        for (std::size_t i = 1; i < list.size(); ++i) result = combine(result, list[i]);
        node.set_values(0, std::make_shared<const Values>(std::decay_t<decltype(list)>{result}));
      },
      *node.input(0).values);
}

struct MultipliedPair {
  double operator()(double a, double b) const { return a * b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};
struct AddedPair {
  double operator()(double a, double b) const { return a + b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};

void infer_reduce_prod(const OperatorNode& node) { infer_whole(node, MultipliedPair()); }
void infer_reduce_sum(const OperatorNode& node) { infer_whole(node, AddedPair()); }
void infer_reduce_max(const OperatorNode& node) {
  infer_whole(node, [](auto a, auto b) { return std::max(a, b); });
}
void infer_reduce_min(const OperatorNode& node) {
  infer_whole(node, [](auto a, auto b) { return std::min(a, b); });
}

void infer_arg(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr) return node.set(0, ElementType::int64, std::nullopt);
  const std::size_t axis = axis_from_front(node.attributes().integer("axis", 0), input->size());
  node.set(0, ElementType::int64, reduced(*input, {axis}, node.attributes().integer("keepdims", 1) != 0));
}

// TopK: how many is an input since operator set 10.
void infer_top_k(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  std::optional<Shape> shape;
  if (input != nullptr) {
    shape = *input;
    std::int64_t& length = (*shape)[axis_from_front(node.attributes().integer("axis", -1), input->size())];
    length = unknown_length;
    if (!node.has_input(1))
      length = node.attributes().required_integer("k");
    else if (const auto* k = node.integers(1); k != nullptr && !k->empty())
      length = k->front();
    else
      node.unknown_because("how many elements it keeps is known at run time only");
    if (length < unknown_length) throw NodeProblem(fmt::format("it keeps {} elements", length));
  }
  node.set(0, node.type(0), shape);
  node.set(1, ElementType::int64, shape);
}

// Losses of training: scores of the classes, the right class, weights of the classes.
void infer_loss(const OperatorNode& node) {
  const bool one = node.attributes().text("reduction", "mean") != "none";
  node.set(0, node.type(0), one ? Shape{} : node.shape_if_known(1));
  node.set(1, node.type(0), node.shape_if_known(0));
}

void infer_det(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr || input->size() < 2) return node.set(0, node.type(0), std::nullopt);
  node.set(0, node.type(0), Shape(input->begin(), input->end() - 2));
}

}  // namespace

std::vector<Operator> reducing_operators() {
  std::vector<Operator> all;
  for (const char* name :
       {"ReduceMean", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"})
    all.push_back({standard_domain, name, Operator::Work::vector, infer_reduction});
  all.push_back({standard_domain, "ReduceProd", Operator::Work::vector, infer_reduce_prod});
  all.push_back({standard_domain, "ReduceSum", Operator::Work::vector, infer_reduce_sum});
  all.push_back({standard_domain, "ReduceMax", Operator::Work::vector, infer_reduce_max});
  all.push_back({standard_domain, "ReduceMin", Operator::Work::vector, infer_reduce_min});
  all.push_back({standard_domain, "ArgMax", Operator::Work::vector, infer_arg});
  all.push_back({standard_domain, "ArgMin", Operator::Work::vector, infer_arg});
  all.push_back({standard_domain, "TopK", Operator::Work::vector, infer_top_k});
  for (const char* name : {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"})
    all.push_back({standard_domain, name, Operator::Work::vector, infer_loss});
  all.push_back({microsoft_domain, "QLinearReduceMean", Operator::Work::vector, infer_quantised_reduction});
  for (const char* domain : {"", "PACTOps"})
    all.push_back({domain, "IntegerMean", Operator::Work::vector, infer_reduction});
  all.push_back({standard_domain, "Det", Operator::Work::vector, infer_det});
  return all;
}

namespace {

// Operators that scale rows or channels by what they hold: Softmax and normalisations.

// In training, BatchNormalization hands on statistics of each channel.
void infer_batch_normalization(const OperatorNode& node) {
  infer_like_first_input(node);
  for (std::size_t i = 1; i < node.output_count(); ++i) node.set(i, node.type(1), node.shape_if_known(1));
}

// Mean and deviation of each row follow the result: the axes before `axis`, then ones.
void infer_layer_normalization(const OperatorNode& node) {
  infer_like_first_input(node);
  std::optional<Shape> statistics = node.shape_if_known(0);
  if (statistics) {
    const std::size_t axis = axis_from_front(node.attributes().integer("axis", -1), statistics->size());
    for (std::size_t i = axis; i < statistics->size(); ++i) (*statistics)[i] = 1;
  }
  for (std::size_t i = 1; i < node.output_count(); ++i) node.set(i, ElementType::float32, statistics);
}

// Adds its two first inputs and normalises the sum, which is the fourth output (com.microsoft).
void infer_skip_normalization(const OperatorNode& node) {
  infer_like_first_input(node);
  std::optional<Shape> statistics = node.shape_if_known(0);
  if (statistics && !statistics->empty()) statistics->back() = 1;
  node.set(1, ElementType::float32, statistics);
  node.set(2, ElementType::float32, statistics);
  node.set(3, node.type(0), node.shape_if_known(0));
}

// GemmaRotaryEmbedding: angles, then two pairs of a tensor and its rotated half.
void infer_rotated_pair(const OperatorNode& node) {
  for (std::size_t i = 0; i < 2; ++i) node.set(i, node.type(2 * i + 1), node.shape_if_known(2 * i + 1));
}

// LinearAttentionGate: how fast a state fades, and how fast it learns.
void infer_gates(const OperatorNode& node) {
  for (std::size_t i = 0; i < 2; ++i) node.set(i, node.type(0), node.shape_if_known(0));
}

}  // namespace

std::vector<Operator> normalising_operators() {
  constexpr auto vector = Operator::Work::vector;
  std::vector<Operator> all = {
      {standard_domain, "BatchNormalization", vector, infer_batch_normalization},
      {standard_domain, "LayerNormalization", vector, infer_layer_normalization},
      {standard_domain, "RMSNormalization", vector, infer_layer_normalization},
      {standard_domain, "SimplifiedLayerNormalization", vector, infer_layer_normalization}};
  for (const char* name : {"Softmax", "LogSoftmax", "InstanceNormalization", "GroupNormalization",
                           "LpNormalization", "LRN", "MeanVarianceNormalization", "RMSNorm"})
    all.push_back({standard_domain, name, vector, infer_like_first_input});
  for (const char* name : {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"})
    all.push_back({microsoft_domain, name, vector, infer_skip_normalization});
  for (const char* name : {"SimplifiedLayerNormalization", "LayerNormalization"})
    all.push_back({microsoft_domain, name, vector, infer_layer_normalization});
  for (const char* name : {"GroupNorm", "SkipGroupNorm", "RotaryEmbedding", "MRotaryEmbedding",
                           "QLinearSoftmax", "BiasSoftmax", "GatedRMSNorm", "QOrderedLayerNormalization"})
    all.push_back({microsoft_domain, name, vector, infer_like_first_input});
  all.push_back({microsoft_domain, "GemmaRotaryEmbedding", vector, infer_rotated_pair});
  all.push_back({microsoft_domain, "LinearAttentionGate", vector, infer_gates});
  all.push_back({standard_domain, "RotaryEmbedding", vector, infer_like_first_input});
  return all;
}

}  // namespace zz::core::onnx_import
