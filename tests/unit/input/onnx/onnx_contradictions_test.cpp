// Shapes that a file states but that contradict each other: a warning, and the figures of ZigZag.
#include <doctest/doctest.h>

#include "tests/unit/input/onnx/onnx_fixture.hpp"

namespace zz::test {
namespace {

using zz::core::Diagnostics;
using zz::core::Workload;
using Axes = std::vector<std::int64_t>;

void state(onnx::ModelProto& model, const std::string& name, const Axes& shape) {
  add_input(model, name, shape);
  model.mutable_graph()->mutable_value_info()->Add()->Swap(
      model.mutable_graph()->mutable_input()->Mutable(model.graph().input_size() - 1));
  model.mutable_graph()->mutable_input()->RemoveLast();
}

void add_weights(onnx::ModelProto& model, const std::string& name, const Axes& shape) {
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  for (const std::int64_t length : shape) tensor.add_dims(length);
}

onnx::ModelProto convolution(const Axes& output, const Axes& weights, const std::string& mode = "") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {1, 4, 8, 8});
  add_weights(model, "w", weights);
  onnx::NodeProto& node = add_node(*model.mutable_graph(), "Conv", {"x", "w"}, {"y"});
  set_integers(node, "kernel_shape", {3, 3});
  set_integers(node, "strides", {2, 2});
  if (mode == "pads") {
    set_integers(node, "pads", {1, 1, 1, 1});
  } else if (!mode.empty()) {
    auto& attribute = *node.add_attribute();
    attribute.set_name("auto_pad");
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(mode);
  }
  state(model, "y", output);
  return model;
}

std::string warnings(const onnx::ModelProto& model) {
  Diagnostics diagnostics;
  read_model(model, zigzag_operators, &diagnostics);
  return warnings_of(diagnostics);
}

}  // namespace

TEST_CASE("a convolution whose shapes agree gives no warning, whatever says how it is padded") {
  CHECK(warnings(convolution({1, 6, 3, 3}, {6, 4, 3, 3})) == "");
  CHECK(warnings(convolution({1, 6, 3, 3}, {6, 4, 3, 3}, "VALID")) == "");
  CHECK(warnings(convolution({1, 6, 4, 4}, {6, 4, 3, 3}, "pads")) == "");
  CHECK(warnings(convolution({1, 6, 4, 4}, {6, 4, 3, 3}, "SAME_UPPER")) == "");
}

TEST_CASE(
    "an output that does not follow from input and attributes counts as it is stated, with a warning") {
  Diagnostics diagnostics;
  const Workload workload =
      read_model(convolution({1, 6, 9, 3}, {6, 4, 3, 3}), zigzag_operators, &diagnostics);
  CHECK(workload.layers.at(0)->loop_size("OY") == 9);
  CHECK(warnings_of(diagnostics) ==
        "node 'Op0' (Conv): its output 'y' is stated to be 1x6x9x3, but 1x6x3x3 follows from its input, "
        "which is 1x4x8x8, and its attributes; what is stated counts, as in ZigZag and Stream\n");
}

TEST_CASE("weights that do not fit between input and output do not count, with a warning") {
  Diagnostics diagnostics;
  const Workload workload =
      read_model(convolution({1, 6, 3, 3}, {6, 7, 3, 3}), zigzag_operators, &diagnostics);
  CHECK(workload.layers.at(0)->loop_size("C") == 4);
  CHECK(warnings_of(diagnostics) ==
        "node 'Op0' (Conv): its weight 'w' is stated to be 6x7x3x3, but 6x4x3x3 follows from its input "
        "(1x4x8x8), its output (1x6x3x3) and its attributes; the latter counts, as in ZigZag and Stream\n");
}

TEST_CASE("a product of matrices that do not fit, also transposed") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {2, 5});
  add_weights(model, "w", {4, 3});
  set_integer(add_node(*model.mutable_graph(), "Gemm", {"x", "w"}, {"y"}), "transB", 1);
  state(model, "y", {2, 4});
  CHECK(
      warnings(model).find("its second input 'w' is stated to be 4x3, but 4x5 follows from its first input "
                           "(2x5) and its output (2x4)") != std::string::npos);
  model.mutable_graph()->mutable_initializer(0)->set_dims(1, 5);
  CHECK(warnings(model) == "");
}

TEST_CASE("pooling may round up, and a last window in the padding may be left out") {
  const auto pooled = [](std::int64_t length) {
    onnx::ModelProto model = empty_model();
    add_input(model, "x", {1, 4, 6, 6});
    onnx::NodeProto& node = add_node(*model.mutable_graph(), "MaxPool", {"x"}, {"p"});
    set_integers(node, "kernel_shape", {2, 2});
    set_integers(node, "strides", {3, 3});
    set_integers(node, "pads", {0, 0, 1, 1});
    set_integer(node, "ceil_mode", 1);
    state(model, "p", {1, 4, length, length});
    add_weights(model, "w", {4, 4, 1, 1});
    set_integers(add_node(*model.mutable_graph(), "Conv", {"p", "w"}, {"y"}), "kernel_shape", {1, 1});
    state(model, "y", {1, 4, length, length});
    return warnings(model);
  };
  CHECK(pooled(3) == "");
  CHECK(pooled(2) == "");
  CHECK(pooled(4).find("node 'Op0' (MaxPool): its output 'p' is stated to be 1x4x4x4, but 1x4x3x3") == 0);
}

TEST_CASE(
    "of many contradictions the first few are told; a shape that is stated twice counts as first stated") {
  onnx::ModelProto model = empty_model();
  add_input(model, "t0", {2, 4});
  add_input(model, "t0", {2, 6});
  for (int i = 0; i < 6; ++i) {
    const std::string next = "t" + std::to_string(i + 1);
    add_node(*model.mutable_graph(), "Relu", {"t" + std::to_string(i)}, {next});
    state(model, next, {2, 5 + i});
  }
  add_weights(model, "w", {10, 3});
  add_node(*model.mutable_graph(), "Gemm", {"t6", "w"}, {"y"});
  state(model, "y", {2, 3});
  const std::string text = warnings(model);
  CHECK(text.find("the shape of tensor 't0' is stated twice, as 2x4 and as 2x6; the first counts") == 0);
  CHECK(text.find("node 'Op0' (Relu): its output 't1' is stated to be 2x5, but 2x4 follows from its input, "
                  "whose shape it keeps") != std::string::npos);
  CHECK(text.find("\n3 more shapes contradict those of other tensors\n") != std::string::npos);
}

}  // namespace zz::test
