// Which inputs of a file that was exported without parameters are its weights.
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/input/onnx/onnx_fixture.hpp"

using namespace zz::core;
using namespace zz::core::onnx_import;
using namespace zz::test;

namespace {

struct Inputs {
  std::string name;
  std::vector<std::string> data, weights;
  std::function<void(onnx::ModelProto&)> make;
};

onnx::NodeProto& make_node(onnx::ModelProto& model, const std::string& type,
                           const std::vector<std::string>& inputs, const std::string& output) {
  return add_node(*model.mutable_graph(), type, inputs, {output});
}

void make_cast(onnx::ModelProto& model, const std::string& from, const std::string& to) {
  set_integer(make_node(model, "Cast", {from}, to), "to", static_cast<int>(ElementType::float32));
}

/// Scores of the input x, 4 x 6, for the input w.
void make_scores(onnx::ModelProto& model) {
  add_typed_input(model, "x", ElementType::float32, {4, 6});
  add_typed_input(model, "w", ElementType::float32, {6, 8});
  make_node(model, "MatMul", {"x", "w"}, "scores");
}

/// One minus a mask, added to the scores, as text encoders do.
void add_mask(onnx::ModelProto& model, ElementType type) {
  make_scores(model);
  add_typed_input(model, "mask", type, {4, 8});
  make_cast(model, "mask", "kept");
  add_numbers(model, "one", {1});
  add_numbers(model, "far", {-1e4F});
  make_node(model, "Sub", {"one", "kept"}, "left_out");
  make_node(model, "Mul", {"left_out", "far"}, "offset");
  make_node(model, "Add", {"scores", "offset"}, "y");
}

std::vector<Inputs> all_inputs() {
  std::vector<Inputs> all;
  for (const ElementType type : {ElementType::int64, ElementType::int32, ElementType::boolean,
                                 ElementType::uint8, ElementType::int16})
    all.push_back({"a mask of " + std::string(name_of(type)), {"x", "mask"}, {"w"}, [type](auto& model) {
                     add_mask(model, type);
                   }});
  all.push_back({"a choice", {"x", "which"}, {"w"}, [](auto& model) {
                   make_scores(model);
                   add_typed_input(model, "which", ElementType::boolean, {4, 8});
                   add_numbers(model, "zero", {0});
                   make_node(model, "Where", {"which", "scores", "zero"}, "y");
                 }});
  all.push_back({"a place in the sequence", {"x", "end"}, {"w"}, [](auto& model) {
                   make_scores(model);
                   add_typed_input(model, "end", ElementType::int64, {1});
                   add_weight(model, "start", ElementType::int64, {1});
                   make_node(model, "Slice", {"scores", "start", "end"}, "y");
                 }});
  all.push_back({"positions that frequencies multiply", {"positions"}, {"frequencies"}, [](auto& model) {
                   add_typed_input(model, "positions", ElementType::int64, {1, 8});
                   add_typed_input(model, "frequencies", ElementType::float32, {16, 1});
                   make_cast(model, "positions", "real");
                   make_node(model, "MatMul", {"frequencies", "real"}, "y");
                 }});
  for (const ElementType type : {ElementType::int32, ElementType::int64})
    all.push_back({"a matrix of integers", {"x"}, {"w"}, [type](auto& model) {
                     add_typed_input(model, "x", type, {4, 6});
                     add_typed_input(model, "w", type, {8, 6});
                     make_node(model, "Transpose", {"w"}, "turned");
                     make_node(model, "MatMul", {"x", "turned"}, "y");
                   }});
  all.push_back(
      {"words with their scales", {"x"}, {"q", "scale", "zero", "b"}, [](auto& model) {
         add_typed_input(model, "x", ElementType::float32, {4, 6});
         add_typed_input(model, "q", ElementType::int8, {6, 8});
         add_typed_input(model, "scale", ElementType::float32, {8});
         add_typed_input(model, "zero", ElementType::int8, {8});
         add_typed_input(model, "b", ElementType::int32, {8});
         set_integer(make_node(model, "DequantizeLinear", {"q", "scale", "zero"}, "w"), "axis", 1);
         set_integer(make_node(model, "DequantizeLinear", {"b", "scale"}, "bias"), "axis", 0);
         make_node(model, "Gemm", {"x", "w", "bias"}, "y");
       }});
  all.push_back({"a table that is added", {"x"}, {"w", "table"}, [](auto& model) {
                   make_scores(model);
                   add_typed_input(model, "table", ElementType::float32, {1, 4, 8});
                   make_node(model, "Add", {"scores", "table"}, "y");
                 }});
  return all;
}

}  // namespace

TEST_CASE("inputs of a file without weights: which are weights") {
  for (const Inputs& each : all_inputs()) {
    CAPTURE(each.name);
    onnx::ModelProto model = empty_model(17);
    each.make(model);
    const Network network = evaluated(model);
    std::vector<std::string> data;
    for (const std::int64_t index : network.inputs)
      data.push_back(network.tensors[static_cast<std::size_t>(index)].name);
    CHECK(data == each.data);
    for (const std::string& weight : each.weights) {
      CAPTURE(weight);
      CHECK(tensor(network, weight).constant);
    }
  }
}
