// Shapes that a file states but that contradict each other: a warning, and the figures of ZigZag.
#include <doctest/doctest.h>

#include "tests/unit/input/onnx/onnx_fixture.hpp"

namespace zz::test {
namespace {

using zz::core::Diagnostics;
using zz::core::Workload;
using Axes = std::vector<std::int64_t>;

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

TEST_CASE("an output that does not follow from input and attributes counts as it is stated") {
  Diagnostics diagnostics;
  const Workload workload =
      read_model(convolution({1, 6, 9, 3}, {6, 4, 3, 3}), zigzag_operators, &diagnostics);
  CHECK(workload.layers.at(0)->loop_size("OY") == 9);
  CHECK(warnings_of(diagnostics) ==
        "the file states other shapes than follow from its operators; they count, as in ZigZag and Stream: "
        "'y' (1x6x9x3 instead of 1x6x3x3)\n");
}

TEST_CASE("weights that do not fit between input and output do not count, with a warning") {
  Diagnostics diagnostics;
  const Workload workload =
      read_model(convolution({1, 6, 3, 3}, {6, 7, 3, 3}), zigzag_operators, &diagnostics);
  CHECK(workload.layers.at(0)->loop_size("C") == 4);
  CHECK(
      warnings_of(diagnostics).find("node 'Op0' (Conv): its input has 4 channels, its weights are for 7") !=
      std::string::npos);
}

TEST_CASE("a product of matrices that do not fit, also transposed") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {2, 5});
  add_weights(model, "w", {4, 3});
  set_integer(add_node(*model.mutable_graph(), "Gemm", {"x", "w"}, {"y"}), "transB", 1);
  state(model, "y", {2, 4});
  CHECK(warnings(model).find("node 'Op0' (Gemm): ") != std::string::npos);
  model.mutable_graph()->mutable_initializer(0)->set_dims(1, 5);
  CHECK(warnings(model) == "");
}

TEST_CASE("what is stated decides about what follows it; of many contradictions the first few are told") {
  onnx::ModelProto model = empty_model();
  add_input(model, "t0", {2, 4});
  for (int i = 0; i < 6; ++i) {
    const std::string next = "t" + std::to_string(i + 1);
    add_node(*model.mutable_graph(), "Relu", {"t" + std::to_string(i)}, {next});
    if (i != 2) state(model, next, {2, 5 + i});
  }
  add_weights(model, "w", {10, 3});
  add_node(*model.mutable_graph(), "Gemm", {"t6", "w"}, {"y"});
  state(model, "y", {2, 3});
  CHECK(warnings(model).find(
            "'t1' (2x5 instead of 2x4), 't2' (2x6 instead of 2x5), 't4' (2x8 instead of 2x6) and 2 more") !=
        std::string::npos);
}

}  // namespace zz::test
