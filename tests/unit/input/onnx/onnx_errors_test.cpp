// Messages on what cannot be read say which file, node and tensor, and what would help.
#include <doctest/doctest.h>

#include "core/input/onnx/operators/operator.hpp"
#include "tests/unit/input/onnx/onnx_fixture.hpp"

namespace zz::test {
namespace {

void check_mentions(const std::string& message, const std::vector<std::string>& parts) {
  CAPTURE(message);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(message.find(part) != std::string::npos);
  }
}

onnx::ModelProto small_model(std::int64_t operator_set = 13) {
  onnx::ModelProto model = empty_model(operator_set);
  add_input(model, "x", {4, 8});
  add_input(model, "w", {8, 16});
  add_node(*model.mutable_graph(), "MatMul", {"x", "w"}, {"y"}).set_name("product");
  return model;
}

}  // namespace

TEST_CASE("ONNX files that are none") {
  check_mentions(failure_of_file("/nonexistent/net.onnx"), {"/nonexistent/net.onnx", "no such file"});
  check_mentions(failure_of_file("/"), {"folder"});
  const TemporaryFile empty("");
  check_mentions(failure_of_file(empty.path()), {empty.path(), "empty"});
  const TemporaryFile text("layers:\n  - name: conv1\n");
  check_mentions(failure_of_file(text.path()), {"not an ONNX file"});
  std::string bytes = small_model().SerializeAsString();
  REQUIRE(failure_of_file(TemporaryFile(bytes).path()) == "");
}

TEST_CASE("an ONNX file cut off anywhere is refused") {
  const std::string bytes = small_model().SerializeAsString();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CAPTURE(length);
    const TemporaryFile file(bytes.substr(0, length));
    CHECK(failure_of_file(file.path()) != "");
  }
  const TemporaryFile half(bytes.substr(0, bytes.size() / 2));
  check_mentions(failure_of_file(half.path()), {"truncated or damaged"});
}

TEST_CASE("operator sets") {
  check_mentions(failure_of(small_model(-1)), {"unknown operator set version -1"});
  onnx::ModelProto without = small_model();
  without.clear_opset_import();
  check_mentions(failure_of(without), {"no standard operator set"});
}

TEST_CASE("unknown shapes name tensor and node") {
  onnx::ModelProto model = small_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_node(graph, "NoSuchOperator", {"y"}, {"z"});
  add_node(graph, "MatMul", {"z", "w"}, {"u"}).set_name("second");
  add_node(graph, "MatMul", {"q", "w"}, {"v"}).set_name("third");
  check_mentions(failure_of(model), {"node 'second' (MatMul)", "tensor 'z'", "node 'third'", "tensor 'q'"});

  onnx::ModelProto open = empty_model();
  add_input(open, "x", {1, 0, 8});
  open.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_param("seq");
  add_input(open, "w", {8, 16});
  add_node(*open.mutable_graph(), "MatMul", {"x", "w"}, {"y"});
  check_mentions(failure_of(open),
                 {"axis 1 of tensor 'x' is unknown", "leaves axis 1 ('seq') of input 'x' open"});
}

TEST_CASE("attributes and data that cannot be are refused") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {1, 4, 8, 8});
  add_input(model, "w", {4, 4, 3, 3});
  onnx::NodeProto& node = add_node(*model.mutable_graph(), "Conv", {"x", "w"}, {"y"});
  set_integers(node, "strides", {1, 0});
  check_mentions(failure_of(model), {"node 'Op0' (Conv): the attribute 'strides' holds 0"});
  node.mutable_attribute(0)->set_ints(1, 1);
  onnx::TensorProto& shape = *model.mutable_graph()->add_initializer();
  shape.set_name("shape");
  shape.set_data_type(onnx::TensorProto::INT64);
  shape.add_dims(2);
  shape.set_raw_data("abc");
  add_node(*model.mutable_graph(), "Reshape", {"y", "shape"}, {"z"});
  check_mentions(failure_of(model),
                 {"tensor 'shape' has 3 bytes of data, its type and shape are those of 2 elements"});
}

TEST_CASE("no operator ends the process, whatever its inputs and attributes are") {
  for (const core::onnx_import::Operator& known : core::onnx_import::all_operators()) {
    const std::string type(known.name);
    for (const bool odd_attributes : {false, true}) {
      onnx::ModelProto model = small_model();
      onnx::GraphProto& graph = *model.mutable_graph();
      add_node(graph, "NoSuchOperator", {"y"}, {"unknown"});
      const std::string input = odd_attributes ? "nowhere" : "unknown";
      onnx::NodeProto& node = add_node(graph, type, {input, input, input}, {"a", "b"});
      node.set_name("odd");
      node.set_domain(std::string(known.domain));
      if (odd_attributes)
        for (const char* name : {"axis", "blocksize", "group", "k", "num_scan_inputs"})
          set_integer(node, name, 0);
      const std::string failure = failure_of(model);
      CAPTURE(type);
      CAPTURE(failure);
      const bool multiplies = type == "Conv" || type == "QLinearConv" || type == "Gemm" || type == "MatMul";
      CHECK((failure.find("node 'odd'") != std::string::npos) == multiplies);
    }
  }
}

TEST_CASE("nodes that cannot be layers") {
  SUBCASE("kernel_shape missing and not to be inferred") {
    onnx::ModelProto model = empty_model();
    add_input(model, "x", {1, 3, 8, 8});
    add_node(*model.mutable_graph(), "Conv", {"x", "w"}, {"y"}).set_name("conv");
    state(model, "y", {1, 4, 6, 6});
    check_mentions(failure_of(model), {"node 'conv' (Conv)", "kernel_shape"});
  }
  SUBCASE("three dimensions") {
    onnx::ModelProto model = empty_model();
    add_input(model, "x", {1, 3, 8, 8, 8});
    add_input(model, "w", {4, 3, 3, 3, 3});
    add_node(*model.mutable_graph(), "Conv", {"x", "w"}, {"y"}).set_name("conv");
    check_mentions(failure_of(model), {"node 'conv' (Conv)", "5 axes", "two-dimensional"});
  }
  SUBCASE("more than two predecessors") {
    onnx::ModelProto model = small_model();
    onnx::GraphProto& graph = *model.mutable_graph();
    for (const char* name : {"p", "q", "r"}) add_node(graph, "Relu", {"y"}, {name});
    add_node(graph, "Gemm", {"p", "q", "r"}, {"s"}).set_name("gemm");
    check_mentions(failure_of(model), {"node 'gemm' (Gemm)", "3 of its inputs"});
  }
  SUBCASE("attributes of a wrong type or value") {
    onnx::ModelProto model = small_model();
    set_integers(*model.mutable_graph()->mutable_node(0), "act_size", {8});
    check_mentions(failure_of(model), {"'act_size' must be an integer"});
    onnx::ModelProto negative = small_model();
    set_integer(*negative.mutable_graph()->mutable_node(0), "weight_size", -1);
    check_mentions(failure_of(negative), {"'weight_size' is -1"});
  }
  SUBCASE("no operator that is mapped") {
    onnx::ModelProto model = empty_model();
    add_input(model, "x", {4, 8});
    add_node(*model.mutable_graph(), "Relu", {"x"}, {"y"});
    check_mentions(failure_of(model),
                   {"no operator that can be mapped", "Conv, QLinearConv, MatMul and Gemm"});
  }
  SUBCASE("sizes beyond 64 bits") {
    onnx::ModelProto model = empty_model();
    add_input(model, "x", {std::int64_t{1} << 40, std::int64_t{1} << 40});
    add_input(model, "w", {std::int64_t{1} << 40, 16});
    add_node(*model.mutable_graph(), "MatMul", {"x", "w"}, {"y"});
    check_mentions(failure_of(model), {"counted exactly"});
  }
}

TEST_CASE("graphs that are no data flow") {
  onnx::ModelProto cyclic = small_model();
  add_node(*cyclic.mutable_graph(), "Relu", {"b"}, {"a"}).set_name("first");
  add_node(*cyclic.mutable_graph(), "Relu", {"a"}, {"b"}).set_name("second");
  check_mentions(failure_of(cyclic), {"node 'first' (Relu) waits for its own result"});
  onnx::ModelProto twice = small_model();
  add_node(*twice.mutable_graph(), "Relu", {"x"}, {"y"}).set_name("again");
  check_mentions(failure_of(twice), {"tensor 'y' is produced by two nodes"});
}

}  // namespace zz::test
