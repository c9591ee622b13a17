// Networks whose numbers have fewer bits than the types of the file say.
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "core/input/onnx/network_report.hpp"
#include "tests/unit/input/onnx/onnx_fixture.hpp"

using namespace zz::core;
using namespace zz::core::onnx_import;
using namespace zz::test;

namespace {

constexpr const char* qonnx = "qonnx.custom_op.general";

std::int64_t bits_of_operand(const Layer& layer, const std::string& operand) {
  return layer.operands[static_cast<std::size_t>(layer.operand_index(operand))].precision;
}

/// y = MatMul(x, w), with what rounds w and x in front.
onnx::ModelProto rounded_product(const std::string& type,
                                 const std::vector<std::pair<std::string, float>>& numbers) {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {3, 8});
  add_weight(model, "w", ElementType::float32, {8, 5});
  std::vector<std::string> of_w{"w"}, of_x{"x"};
  for (const auto& [name, number] : numbers) {
    add_numbers(model, name, {number});
    of_w.push_back(name);
    of_x.push_back(name);
  }
  onnx::GraphProto& graph = *model.mutable_graph();
  add_node(graph, type, of_w, {"narrow_w"}).set_domain(qonnx);
  add_node(graph, type, of_x, {"narrow_x"}).set_domain(qonnx);
  add_node(graph, "MatMul", {"narrow_x", "narrow_w"}, {"y"});
  return model;
}

struct Rounding {
  std::string type;
  std::vector<std::pair<std::string, float>> numbers;
  std::int64_t bits;
};

}  // namespace

TEST_CASE("quantised network: operators of QONNX carry their bits to the operands") {
  const std::vector<Rounding> roundings = {
      {"Quant", {{"scale", 1}, {"zero", 0}, {"bits", 3}}, 3},
      {"IntQuant", {{"scale", 1}, {"zero", 0}, {"bits", 8}}, 8},
      {"BipolarQuant", {{"scale", 1}}, 1},
      {"Trunc", {{"scale", 1}, {"zero", 0}, {"in", 8}, {"out", 4}}, 4},
      {"Trunc", {{"scale", 1}, {"zero", 0}, {"in", 8}, {"out_scale", 2}, {"out", 5}}, 5},
      {"FloatQuant", {{"scale", 1}, {"exponent", 4}, {"mantissa", 3}, {"bias", 7}, {"largest", 448}}, 8}};
  for (const Rounding& rounding : roundings) {
    CAPTURE(rounding.type);
    const onnx::ModelProto model = rounded_product(rounding.type, rounding.numbers);
    const Workload workload = read_model(model, {});
    REQUIRE(workload.layers.size() == 1);
    const Layer& layer = *workload.layers[0];
    CHECK(bits_of_operand(layer, "W") == rounding.bits);
    CHECK(bits_of_operand(layer, "I") == rounding.bits);
    CHECK(layer.assumed_precision == std::vector<std::string>{"O", "O_final"});
    // Scales and bits are no parameters.
    CHECK(parameter_count(evaluated(model)) == 8 * 5);
    CHECK(parameter_bytes(evaluated(model)) == 8 * 5 * rounding.bits / 8);
  }
}

TEST_CASE("quantised network: what is rounded at once is written so, and stays so when it is moved") {
  onnx::ModelProto model = rounded_product("Quant", {{"scale", 1}, {"zero", 0}, {"bits", 2}});
  add_numbers(model, "wide", {6});
  onnx::GraphProto& graph = *model.mutable_graph();
  add_node(graph, "Quant", {"y", "scale", "zero", "wide"}, {"rounded"}).set_domain(qonnx);
  add_node(graph, "Transpose", {"rounded"}, {"turned"});
  add_node(graph, "MatMul", {"turned", "x"}, {"z"});
  const Workload workload = read_model(model, {});
  REQUIRE(workload.layers.size() == 2);
  CHECK(workload.layers[0]->final_output_precision == 6);
  CHECK(bits_of_operand(*workload.layers[1], "I") == 6);
}

TEST_CASE("quantised network: thresholds have the bits of their type") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {3, 8});
  add_weight(model, "thresholds", ElementType::float32, {8, 15});
  add_weight(model, "w", ElementType::float32, {8, 5});
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::NodeProto& node = add_node(graph, "MultiThreshold", {"x", "thresholds"}, {"steps"});
  node.set_domain(qonnx);
  add_node(graph, "MatMul", {"steps", "w"}, {"y"});
  CHECK(bits_of_operand(*read_model(model, {}).layers.at(0), "I") == 32);
  for (const auto& [name, bits] : {std::pair{"UINT4", 4}, {"INT2", 2}, {"BIPOLAR", 1}, {"TERNARY", 2}}) {
    onnx::ModelProto typed = model;
    set_text(*typed.mutable_graph()->mutable_node(0), "out_dtype", name);
    CHECK(bits_of_operand(*read_model(typed, {}).layers.at(0), "I") == bits);
  }
}

TEST_CASE("quantised network: in a network of integers floats are as wide as integers that hold them") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {1, 2});
  add_numbers(model, "w", {-8, 127, 1, 0}, {2, 2});
  add_numbers(model, "half", {0.5F, 1, 1, 1}, {2, 2});
  add_numbers(model, "factor", {3});
  add_numbers(model, "added", {5});
  onnx::GraphProto& graph = *model.mutable_graph();
  add_node(graph, "MatMul", {"x", "w"}, {"y"});
  onnx::NodeProto& shift = add_node(graph, "RequantShift", {"y", "factor", "added"}, {"z"});
  shift.set_domain("PACTOps");
  set_integer(shift, "n_levels", 256);
  add_node(graph, "MatMul", {"z", "half"}, {"end"});
  const Workload workload = read_model(model, {});
  CHECK(bits_of_operand(*workload.layers.at(0), "W") == 8);
  CHECK(workload.layers.at(0)->final_output_precision == 8);
  CHECK(bits_of_operand(*workload.layers.at(1), "I") == 8);
  CHECK(bits_of_operand(*workload.layers.at(1), "W") == 32);
}
