#include "core/input/onnx/operators/operator.hpp"

// Operators that scale rows or channels by what they hold: Softmax and normalisations.
namespace zz::core::onnx_import {
namespace {

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

}  // namespace

std::vector<Operator> normalising_operators() {
  constexpr auto vector = Operator::Work::vector;
  std::vector<Operator> all = {
      {standard_domain, "BatchNormalization", vector, infer_batch_normalization},
      {standard_domain, "LayerNormalization", vector, infer_layer_normalization},
      {standard_domain, "RMSNormalization", vector, infer_layer_normalization},
      {standard_domain, "SimplifiedLayerNormalization", vector, infer_layer_normalization}};
  for (const char* name : {"Softmax", "LogSoftmax", "InstanceNormalization", "GroupNormalization",
                           "LpNormalization", "LRN", "MeanVarianceNormalization"})
    all.push_back({standard_domain, name, vector, infer_like_first_input});
  for (const char* name : {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"})
    all.push_back({microsoft_domain, name, vector, infer_skip_normalization});
  for (const char* name : {"SimplifiedLayerNormalization", "LayerNormalization"})
    all.push_back({microsoft_domain, name, vector, infer_layer_normalization});
  for (const char* name :
       {"GroupNorm", "SkipGroupNorm", "RotaryEmbedding", "QLinearSoftmax", "BiasSoftmax"})
    all.push_back({microsoft_domain, name, vector, infer_like_first_input});
  all.push_back({microsoft_domain, "GemmaRotaryEmbedding", vector, infer_rotated_pair});
  all.push_back({standard_domain, "RotaryEmbedding", vector, infer_like_first_input});
  return all;
}

}  // namespace zz::core::onnx_import
