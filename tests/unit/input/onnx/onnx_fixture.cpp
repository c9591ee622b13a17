#include "tests/unit/input/onnx/onnx_fixture.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <unistd.h>

namespace zz::test {

using namespace core;
using namespace core::onnx_import;

TemporaryFile::TemporaryFile(const std::string& content, const std::string& suffix) {
  static std::atomic<int> number = 0;
  const std::string name = "zz-onnx-" + std::to_string(getpid()) + "-" + std::to_string(number++) + suffix;
  path_ = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream(path_, std::ios::binary) << content;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

core::MappingFile default_mapping() {
  core::LayerMapping entry;
  entry.name = "default";
  entry.spatial_mapping.dimensions = {{"D1", {{"K", 32}}}, {"D2", {{"C", 32}}}};
  entry.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  return {{entry}};
}

core::Workload read_bytes(const std::string& bytes, const core::Rules& rules,
                          core::Diagnostics* diagnostics, const core::OnnxSettings& settings) {
  const TemporaryFile file(bytes);
  core::Diagnostics unused;
  return core::read_onnx(file.path(), default_mapping(), rules, diagnostics ? *diagnostics : unused,
                         settings);
}

core::Workload read_model(const onnx::ModelProto& model, const core::Rules& rules,
                          core::Diagnostics* diagnostics, const core::OnnxSettings& settings) {
  return read_bytes(model.SerializeAsString(), rules, diagnostics, settings);
}

std::string failure_of(const onnx::ModelProto& model, const core::Rules& rules,
                       const core::OnnxSettings& settings) {
  const TemporaryFile file(model.SerializeAsString());
  return failure_of_file(file.path(), rules, settings);
}

std::string failure_of_file(const std::string& path, const core::Rules& rules,
                            const core::OnnxSettings& settings) {
  core::Diagnostics diagnostics;
  try {
    core::read_onnx(path, default_mapping(), rules, diagnostics, settings);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

std::string warnings_of(const core::Diagnostics& diagnostics) {
  std::string text;
  for (const core::Diagnostic& diagnostic : diagnostics.all()) text += diagnostic.message + "\n";
  return text;
}

onnx::ModelProto empty_model(std::int64_t operator_set) {
  onnx::ModelProto model;
  model.set_ir_version(7);
  model.add_opset_import()->set_version(operator_set);
  model.mutable_graph()->set_name("test");
  return model;
}

void add_input(onnx::ModelProto& model, const std::string& name, const std::vector<std::int64_t>& shape) {
  auto& value = *model.mutable_graph()->add_input();
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  tensor.mutable_shape();
  for (const std::int64_t length : shape) {
    auto& axis = *tensor.mutable_shape()->add_dim();
    if (length > 0) axis.set_dim_value(length);
  }
}

void state(onnx::ModelProto& model, const std::string& name, const std::vector<std::int64_t>& shape) {
  add_input(model, name, shape);
  auto& inputs = *model.mutable_graph()->mutable_input();
  model.mutable_graph()->add_value_info()->Swap(inputs.Mutable(inputs.size() - 1));
  inputs.RemoveLast();
}

onnx::NodeProto& add_node(onnx::GraphProto& graph, const std::string& type,
                          const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(type);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

onnx::NodeProto& put(onnx::ModelProto& model, const std::string& type,
                     const std::vector<std::string>& inputs, const std::string& output) {
  return add_node(*model.mutable_graph(), type, inputs, {output});
}

void put_cast(onnx::ModelProto& model, const std::string& input, const std::string& output) {
  set_integer(put(model, "Cast", {input}, output), "to",
              static_cast<int>(core::onnx_import::ElementType::float32));
}

void set_integers(onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

void set_integer(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

void set_text(onnx::NodeProto& node, const std::string& name, const std::string& text) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(text);
}

void add_typed_input(onnx::ModelProto& model, const std::string& name, ElementType type,
                     const Shape& shape) {
  onnx::ValueInfoProto& input = *model.mutable_graph()->add_input();
  input.set_name(name);
  auto& tensor = *input.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(static_cast<int>(type));
  for (const std::int64_t length : shape) {
    auto& axis = *tensor.mutable_shape()->add_dim();
    if (length > 0)
      axis.set_dim_value(length);
    else
      axis.set_dim_param("axis" + std::to_string(tensor.shape().dim_size() - 1));
  }
}

void add_weight(onnx::ModelProto& model, const std::string& name, ElementType type, const Shape& shape) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(static_cast<int>(type));
  for (const std::int64_t length : shape) tensor.add_dims(length);
}

void add_numbers(onnx::ModelProto& model, const std::string& name, const std::vector<float>& numbers,
                 const Shape& shape) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t length : shape) tensor.add_dims(length);
  for (const float number : numbers) tensor.add_float_data(number);
}

Network evaluated(const onnx::ModelProto& model, const Dimensions& dimensions, const InputValues& values) {
  Diagnostics diagnostics;
  Network network = evaluate_network(std::make_shared<const onnx::ModelProto>(model), {dimensions, values},
                                     SourceMark{"model.onnx"}, diagnostics);
  diagnostics.throw_if_errors();
  return network;
}

const Tensor& tensor(const Network& network, const std::string& name) {
  for (const Tensor& each : network.tensors)
    if (each.name == name) return each;
  throw std::runtime_error("no tensor " + name);
}

std::int64_t all_macs(const Network& network) {
  std::int64_t sum = 0;
  for (const NetworkNode& node : network.nodes) sum += mac_count(network, node).value_or(0);
  return sum;
}

}  // namespace zz::test
