#include "tools/model_generator/graph_builder.hpp"

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>
#include <utility>

namespace zz::models {
namespace {

constexpr int operator_set = 13;
constexpr int file_format = 7;  // "ir_version", the one that came with operator set 13

void add_value(onnx::ValueInfoProto& value, const std::string& name, const Shape& shape) {
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t length : shape) tensor.mutable_shape()->add_dim()->set_dim_value(length);
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

std::string GraphBuilder::input(const std::string& name, const Shape& shape) {
  add_value(*model_.mutable_graph()->add_input(), name, shape);
  return name;
}

std::string GraphBuilder::weight(const std::string& name, const Shape& shape) { return input(name, shape); }

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

onnx::ModelProto GraphBuilder::finish(const std::string& output) {
  auto& result = *model_.mutable_graph()->add_output();
  result.set_name(output);
  result.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  constexpr bool check_types = true;
  constexpr int stop_at_first_failure = 1;
  onnx::shape_inference::InferShapes(model_, onnx::OpSchemaRegistry::Instance(),
                                     onnx::ShapeInferenceOptions(check_types, stop_at_first_failure));
  onnx::checker::check_model(model_);
  return std::move(model_);
}

}  // namespace zz::models
