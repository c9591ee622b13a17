#include "core/input/stream/stream_onnx_layers.hpp"

#include <fmt/format.h>

#include "core/input/stream/stream_onnx_elementwise.hpp"
#include "core/input/stream/stream_onnx_products.hpp"

namespace zz::core::onnx_import {
namespace {

bool is_convolution(const std::string& type) { return type == "Conv" || type == "QLinearConv"; }
bool is_product(const std::string& type) { return type == "Gemm" || type == "MatMul"; }
bool is_pooling(const std::string& type) {
  return type == "MaxPool" || type == "AveragePool" || type == "GlobalMaxPool" ||
         type == "GlobalAveragePool";
}
bool is_simd(const std::string& type) { return type == "Add" || type == "Mul"; }

bool has_equal_shapes(const onnx::NodeProto& node, const TensorShapes& shapes) {
  constexpr std::size_t most_axes = 4;
  if (node.input_size() < 2) return false;
  const Shape* const first = shapes.find(node.input(0));
  const Shape* const second = shapes.find(node.input(1));
  return first != nullptr && second != nullptr && *first == *second && !first->empty() &&
         first->size() <= most_axes;
}

}  // namespace

bool is_stream_layer(const StreamNode& node, const TensorShapes& shapes) {
  const std::string& type = node.type();
  return is_convolution(type) || is_product(type) || is_pooling(type) ||
         (is_simd(type) && has_equal_shapes(node.proto(), shapes));
}

Layer make_stream_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
  const std::string& type = node.type();
  Layer layer = is_convolution(type) ? make_stream_conv_layer(node, shapes, rules)
                : is_product(type)   ? make_stream_gemm_layer(node, shapes, rules)
                : is_pooling(type)   ? make_stream_pooling_layer(node, shapes, rules)
                                     : make_stream_simd_layer(node, shapes, rules);
  layer.exact_positions = !rules.overcounted_window_positions;
  if (rules.layer_names_lost && is_pooling(type)) layer.name = fmt::format("Layer{}", layer.id);
  return layer;
}

std::vector<std::string> mapping_names(const StreamNode& node, const Layer& layer, const Rules& rules) {
  const std::string numbered = fmt::format("Layer{}", layer.id);
  if (!rules.mappings_by_type_only) return {node.node.name, numbered, node.type(), layer.type};
  if (is_product(node.type())) return {node.node.name, node.type()};
  return {numbered, is_convolution(node.type()) ? "conv" : node.type()};
}

}  // namespace zz::core::onnx_import
