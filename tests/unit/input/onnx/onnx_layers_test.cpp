// Single operators become loop nests.
#include <doctest/doctest.h>

#include "tests/unit/input/onnx/onnx_fixture.hpp"

namespace zz::test {
namespace {

using zz::core::Layer;
using zz::core::Workload;

onnx::ModelProto wide_convolution() {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {1, 8, 20, 30});
  add_input(model, "w", {16, 4, 3, 5});
  onnx::NodeProto& node = add_node(*model.mutable_graph(), "Conv", {"x", "w"}, {"y"});
  set_integers(node, "kernel_shape", {3, 5});
  set_integers(node, "strides", {1, 2});
  set_integers(node, "dilations", {2, 1});
  set_integers(node, "pads", {1, 2, 3, 4});
  set_integer(node, "group", 2);
  return model;
}

}  // namespace

TEST_CASE("convolution: the width attribute belongs to X, the height to Y, shapes are inferred") {
  const Workload workload = read_model(wide_convolution(), {});
  REQUIRE(workload.layers.size() == 1);
  const Layer& layer = *workload.layers[0];
  CHECK(layer.name == "Op0");
  const std::vector<zz::core::LoopDimension> loops = {{"B", 1},   {"K", 8}, {"G", 2},  {"OX", 16},
                                                      {"OY", 20}, {"C", 4}, {"FX", 5}, {"FY", 3}};
  CHECK(layer.loops == loops);
  CHECK(layer.relations[0].data == "IX");
  CHECK(layer.relations[0].stride == 2);
  CHECK(layer.relations[0].dilation == 1);
  CHECK(layer.relations[0].size == 30);
  CHECK(layer.relations[0].padding_low == 2);
  CHECK(layer.relations[0].padding_high == 4);
  CHECK(layer.relations[1].stride == 1);
  CHECK(layer.relations[1].dilation == 2);
  CHECK(layer.relations[1].size == 20);
  CHECK(layer.relations[1].padding_low == 1);
  CHECK(layer.relations[1].padding_high == 3);
}

TEST_CASE("convolution: ZigZag gives the height attribute to X") {
  const Workload workload = read_model(wide_convolution(), zz::core::rules_of("zigzag-3.8.5"));
  const Layer& layer = *workload.layers.at(0);
  CHECK(layer.loop_size("OX") == 16);
  CHECK(layer.loop_size("FX") == 3);
  CHECK(layer.loop_size("FY") == 5);
  CHECK(layer.relations[0].stride == 1);
  CHECK(layer.relations[0].dilation == 2);
  CHECK(layer.relations[0].size == 30);
  CHECK(layer.relations[0].padding_low == 1);
  CHECK(layer.relations[0].padding_high == 3);
}

TEST_CASE("convolution in one dimension has a height of one, and takes the kernel from the weights") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {1, 8, 100});
  add_input(model, "w", {16, 8, 5});
  add_node(*model.mutable_graph(), "Conv", {"x", "w"}, {"y"});
  const Workload workload = read_model(model);
  const Layer& layer = *workload.layers.at(0);
  CHECK(layer.loop_size("OX") == 96);
  CHECK(layer.loop_size("OY") == 1);
  CHECK(layer.loop_size("FX") == 5);
  CHECK(layer.loop_size("FY") == 1);
  CHECK(layer.operand_elements(layer.operand_index("I"), {}) == 800);
}

TEST_CASE("Gemm: transA swaps the input, attributes give the precisions") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {64, 10});
  add_input(model, "w", {64, 32});
  onnx::NodeProto& node = add_node(*model.mutable_graph(), "Gemm", {"x", "w"}, {"y"});
  set_integer(node, "transA", 1);
  set_integer(node, "weight_size", 4);
  set_integer(node, "act_size", 6);
  const Workload workload = read_model(model);
  const Layer& layer = *workload.layers.at(0);
  const std::vector<zz::core::LoopDimension> loops = {{"C", 64}, {"D", 10}, {"K", 32}};
  CHECK(layer.loops == loops);
  CHECK(layer.operands[layer.operand_index("W")].precision == 4);
  CHECK(layer.operands[layer.operand_index("I")].precision == 6);
  CHECK(layer.operands[0].precision == 12);
  CHECK(layer.final_output_precision == 6);
}

TEST_CASE("MatMul of two computed tensors: no constants, weights have the precision of activations") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {2, 10, 10});
  onnx::GraphProto& graph = *model.mutable_graph();
  add_node(graph, "Relu", {"x"}, {"a"});
  onnx::NodeProto& product = add_node(graph, "MatMul", {"a", "a"}, {"y"});
  set_integer(product, "weight_size", 4);
  const Workload workload = read_model(model);
  const Layer& layer = *workload.layers.at(0);
  CHECK(layer.equation == "O[b][d][k] = I[b][d][c] * W[b][c][k]");
  const auto& weight = layer.operands[layer.operand_index("W")];
  CHECK(weight.precision == 8);
  CHECK_FALSE(weight.constant);
  CHECK(weight.sources == std::vector<std::int64_t>{0});
  CHECK(workload.edges == std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}});
}

}  // namespace zz::test
