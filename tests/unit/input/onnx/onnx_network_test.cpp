// Whole networks: open batch size, branches, what is left out.
#include <doctest/doctest.h>

#include "tests/unit/input/onnx/onnx_fixture.hpp"

namespace zz::test {
namespace {

using zz::core::Diagnostics;
using zz::core::Workload;

void add_branch(onnx::NodeProto& node, const std::string& name, int products) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& branch = *attribute.mutable_g();
  branch.set_name(name);
  std::string tensor = "x";
  for (int i = 0; i < products; ++i) {
    const std::string next = "product" + std::to_string(i);
    add_node(branch, "MatMul", {tensor, "w"}, {next});
    tensor = next;
  }
  auto& output = *branch.add_output();
  output.set_name(tensor);
  output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
}

}  // namespace

TEST_CASE("an open batch size is one, with a warning, also where it reaches a matrix product") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {0, 3, 4, 4});
  model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("N");
  add_input(model, "w", {48, 10});
  add_node(*model.mutable_graph(), "Flatten", {"x"}, {"flat"});
  add_node(*model.mutable_graph(), "Gemm", {"flat", "w"}, {"y"});
  Diagnostics diagnostics;
  const Workload workload = read_model(model, zigzag_operators, &diagnostics);
  CHECK(workload.layers.at(0)->loop_size("D") == 1);
  CHECK(workload.layers.at(0)->loop_size("C") == 48);
  CHECK(warnings_of(diagnostics).find("batch size of input 'x' is not fixed (it is called 'N')") !=
        std::string::npos);
}

TEST_CASE("of an If the larger branch is taken, and its tensors keep apart from the graph's") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {4, 8});
  add_input(model, "w", {8, 8});
  add_input(model, "product0", {1});
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::NodeProto& choice = add_node(graph, "If", {"condition"}, {"chosen"});
  add_branch(choice, "then_branch", 1);
  add_branch(choice, "else_branch", 2);
  add_node(graph, "Relu", {"chosen"}, {"y"});
  Diagnostics diagnostics;
  const Workload workload = read_model(model, zigzag_operators, &diagnostics);
  CHECK(workload.layers.size() == 2);
  REQUIRE(workload.pass_through.size() == 1);
  CHECK(workload.pass_through[0].output_elements == 32);
  CHECK(workload.edges == std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {1, 2}});
  CHECK(warnings_of(diagnostics).find("node 'Op0' (If): else_branch is taken") != std::string::npos);
}

TEST_CASE("calls and loops are one node, with the shapes that follow from what is in them") {
  onnx::ModelProto model = empty_model();
  model.mutable_opset_import(0)->set_version(16);
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name("Double");
  function.set_domain("local");
  function.add_input("a");
  function.add_output("b");
  onnx::NodeProto& product = *function.add_node();
  product.set_op_type("MatMul");
  for (int i = 0; i < 2; ++i) product.add_input("a");
  product.add_output("b");
  add_input(model, "x", {8, 8});
  onnx::GraphProto& graph = *model.mutable_graph();
  add_node(graph, "Relu", {"x"}, {"r"});
  add_node(graph, "Double", {"r"}, {"d"}).set_domain("local");
  add_node(graph, "MatMul", {"d", "x"}, {"y"});
  const Workload workload = read_model(model);
  REQUIRE(workload.layers.size() == 1);
  CHECK(workload.layers[0]->id == 2);
  CHECK(workload.layers[0]->loop_size("C") == 8);
  CHECK(workload.pass_through.at(1).type == "double");
  CHECK(workload.edges == std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {1, 2}});
  CHECK(read_model(model, {}).layers.size() == 2);
}

TEST_CASE("a concatenation keeps all its sources; ZigZag keeps two") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {4, 8});
  add_input(model, "w", {8, 8});
  onnx::GraphProto& graph = *model.mutable_graph();
  for (const char* name : {"a", "b", "c"}) add_node(graph, "MatMul", {"x", "w"}, {name});
  set_integer(add_node(graph, "Concat", {"a", "b", "c"}, {"y"}), "axis", 0);
  CHECK(read_model(model, {}).pass_through.at(0).sources == std::vector<std::int64_t>{0, 1, 2});
  CHECK(read_model(model, zz::core::rules_of("zigzag-3.8.5")).pass_through.at(0).sources ==
        std::vector<std::int64_t>{0, 1});
}

TEST_CASE("shapes that the file gives are kept") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {1, 3, 8, 8});
  add_input(model, "w", {4, 3, 3, 3});
  onnx::GraphProto& graph = *model.mutable_graph();
  add_node(graph, "Relu", {"x"}, {"r"});
  set_integers(add_node(graph, "Conv", {"r", "w"}, {"y"}), "kernel_shape", {3, 3});
  onnx::ModelProto given = empty_model();
  add_input(given, "y", {1, 4, 7, 7});
  *graph.add_value_info() = given.graph().input(0);
  CHECK(read_model(model).layers.at(0)->loop_size("OX") == 7);
}

}  // namespace zz::test
