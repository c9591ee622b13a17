#include "tools/model_generator/graph_builder.hpp"

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>
#include <utility>

namespace zz::models {
namespace {

constexpr int operator_set = 13;
constexpr int file_format = 7;  // "ir_version", the one that came with operator set 13

onnx::TypeProto_Tensor& add_value(onnx::ValueInfoProto& value, const std::string& name, int type) {
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  return tensor;
}

void add_lengths(onnx::TypeProto_Tensor& type, const std::vector<std::string>& lengths) {
  for (const std::string& length : lengths) {
    const bool number = length.find_first_not_of("0123456789") == std::string::npos;
    auto& axis = *type.mutable_shape()->add_dim();
    if (number)
      axis.set_dim_value(std::stoll(length));
    else
      axis.set_dim_param(length);
  }
}

void set_integer(onnx::NodeProto& node, const char* name, std::int64_t value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

void set_integers(onnx::NodeProto& node, const char* name, const Shape& values) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

void set_window(onnx::NodeProto& node, const Window& window) {
  set_integers(node, "kernel_shape", Shape(2, window.kernel));
  set_integers(node, "strides", Shape(2, window.stride));
  set_integers(node, "pads", Shape(4, window.padding));
}

}  // namespace

GraphBuilder::GraphBuilder(const std::string& network) {
  model_.set_ir_version(file_format);
  model_.set_producer_name("zz-make-models");
  model_.add_opset_import()->set_version(operator_set);
  model_.mutable_graph()->set_name(network);
}

std::string GraphBuilder::input(const std::string& name, const Shape& shape, int type) {
  auto& tensor = add_value(*model_.mutable_graph()->add_input(), name, type);
  tensor.mutable_shape();  // a single number has no lengths
  for (const std::int64_t length : shape) tensor.mutable_shape()->add_dim()->set_dim_value(length);
  return name;
}

std::string GraphBuilder::weight(const std::string& name, const Shape& shape, int type) {
  return input(name, shape, type);
}

std::string GraphBuilder::open_input(const std::string& name, const std::vector<std::string>& lengths,
                                     int type) {
  add_lengths(add_value(*model_.mutable_graph()->add_input(), name, type), lengths);
  return name;
}

std::string GraphBuilder::constant(const std::string& name, float value) {
  auto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_float_data(value);
  return name;
}

std::string GraphBuilder::constant(const std::string& name, const Shape& values) {
  auto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return name;
}

std::string GraphBuilder::conv(const std::string& name, const std::string& input,
                               std::int64_t input_channels, std::int64_t output_channels,
                               const Window& window, std::int64_t group) {
  const std::string weights =
      weight(name + ".weight", {output_channels, input_channels / group, window.kernel, window.kernel});
  const std::string bias = weight(name + ".bias", {output_channels});
  onnx::NodeProto& node = add("Conv", name, {input, weights, bias});
  set_window(node, window);
  set_integers(node, "dilations", {1, 1});
  set_integer(node, "group", group);
  return node.output(0);
}

std::string GraphBuilder::conv_of(const std::string& name, const std::string& input,
                                  const std::string& weights, const Window& window) {
  onnx::NodeProto& node = add("Conv", name, {input, weights});
  set_window(node, window);
  return node.output(0);
}

std::string GraphBuilder::max_pool(const std::string& name, const std::string& input,
                                   const Window& window) {
  onnx::NodeProto& node = add("MaxPool", name, {input});
  set_window(node, window);
  return node.output(0);
}

std::string GraphBuilder::fully_connected(const std::string& name, const std::string& input,
                                          std::int64_t input_features, std::int64_t output_features) {
  const std::string weights = weight(name + ".weight", {output_features, input_features});
  const std::string bias = weight(name + ".bias", {output_features});
  onnx::NodeProto& node = add("Gemm", name, {input, weights, bias});
  set_integer(node, "transB", 1);
  return node.output(0);
}

std::string GraphBuilder::linear(const std::string& name, const std::string& input,
                                 std::int64_t input_features, std::int64_t output_features) {
  const std::string weights = weight(name + ".weight", {input_features, output_features});
  const std::string bias = weight(name + ".bias", {output_features});
  return apply("Add", name + "/add_bias", {apply("MatMul", name, {input, weights}), bias});
}

std::string GraphBuilder::transpose(const std::string& name, const std::string& input,
                                    const Shape& permutation) {
  onnx::NodeProto& node = add("Transpose", name, {input});
  set_integers(node, "perm", permutation);
  return node.output(0);
}

std::string GraphBuilder::reshape(const std::string& name, const std::string& input, const Shape& shape) {
  return apply("Reshape", name, {input, constant(name + ".shape", shape)});
}

std::string GraphBuilder::softmax(const std::string& name, const std::string& input) {
  onnx::NodeProto& node = add("Softmax", name, {input});
  set_integer(node, "axis", -1);
  return node.output(0);
}

std::string GraphBuilder::gather(const std::string& name, const std::string& table,
                                 const std::string& places) {
  return apply("Gather", name, {table, places});
}

std::string GraphBuilder::unit_length(const std::string& name, const std::string& input) {
  return apply("LpNormalization", name, {input});
}

std::vector<std::string> GraphBuilder::grouped_query_attention(const std::string& name,
                                                               const std::vector<std::string>& inputs,
                                                               std::int64_t query_heads,
                                                               std::int64_t key_heads) {
  if (model_.opset_import_size() == 1) {
    auto& contributed = *model_.add_opset_import();
    contributed.set_domain("com.microsoft");
    contributed.set_version(1);
  }
  onnx::NodeProto& node = add("GroupQueryAttention", name, inputs);
  node.set_domain("com.microsoft");
  set_integer(node, "num_heads", query_heads);
  set_integer(node, "kv_num_heads", key_heads);
  set_integer(node, "do_rotary", 1);
  node.add_output(name + ".key");
  node.add_output(name + ".value");
  return {node.output().begin(), node.output().end()};
}

std::string GraphBuilder::mean_of_last_axis(const std::string& name, const std::string& input) {
  onnx::NodeProto& node = add("ReduceMean", name, {input});
  set_integers(node, "axes", {-1});
  set_integer(node, "keepdims", 1);
  return node.output(0);
}

std::string GraphBuilder::apply(const std::string& type, const std::string& name,
                                const std::vector<std::string>& inputs) {
  return add(type, name, inputs).output(0);
}

onnx::NodeProto& GraphBuilder::add(const std::string& type, const std::string& name,
                                   const std::vector<std::string>& inputs) {
  onnx::NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(type);
  node.set_name(name);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(name + ".out");
  return node;
}

void GraphBuilder::output(const std::string& name, int type, const std::vector<std::string>& lengths) {
  add_lengths(add_value(*model_.mutable_graph()->add_output(), name, type), lengths);
}

onnx::ModelProto GraphBuilder::finish(const std::string& result, int type,
                                      const std::vector<std::string>& lengths) {
  output(result, type, lengths);
  constexpr bool check_types = true;
  constexpr int stop_at_first_failure = 1;
  onnx::shape_inference::InferShapes(model_, onnx::OpSchemaRegistry::Instance(),
                                     onnx::ShapeInferenceOptions(check_types, stop_at_first_failure));
  onnx::checker::check_model(model_);
  return std::move(model_);
}

}  // namespace zz::models
