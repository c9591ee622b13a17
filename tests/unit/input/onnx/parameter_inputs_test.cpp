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

/// Scores of the input x, 4 x 6, for the input w.
void make_scores(onnx::ModelProto& model) {
  add_typed_input(model, "x", ElementType::float32, {4, 6});
  add_typed_input(model, "w", ElementType::float32, {6, 8});
  put(model, "MatMul", {"x", "w"}, "scores");
}

/// One minus a mask, added to the scores, as text encoders do.
void add_mask(onnx::ModelProto& model, ElementType type) {
  make_scores(model);
  add_typed_input(model, "mask", type, {4, 8});
  put_cast(model, "mask", "kept");
  add_numbers(model, "one", {1});
  add_numbers(model, "far", {-1e4F});
  put(model, "Sub", {"one", "kept"}, "left_out");
  put(model, "Mul", {"left_out", "far"}, "offset");
  put(model, "Add", {"scores", "offset"}, "y");
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
                   put(model, "Where", {"which", "scores", "zero"}, "y");
                 }});
  all.push_back({"a place in the sequence", {"x", "end"}, {"w"}, [](auto& model) {
                   make_scores(model);
                   add_typed_input(model, "end", ElementType::int64, {1});
                   add_weight(model, "start", ElementType::int64, {1});
                   put(model, "Slice", {"scores", "start", "end"}, "y");
                 }});
  all.push_back({"positions that frequencies multiply", {"positions"}, {"frequencies"}, [](auto& model) {
                   add_typed_input(model, "positions", ElementType::int64, {1, 8});
                   add_typed_input(model, "frequencies", ElementType::float32, {16, 1});
                   put_cast(model, "positions", "real");
                   put(model, "MatMul", {"frequencies", "real"}, "y");
                 }});
  for (const ElementType type : {ElementType::int32, ElementType::int64})
    all.push_back({"a matrix of integers", {"x"}, {"w"}, [type](auto& model) {
                     add_typed_input(model, "x", type, {4, 6});
                     add_typed_input(model, "w", type, {8, 6});
                     put(model, "Transpose", {"w"}, "turned");
                     put(model, "MatMul", {"x", "turned"}, "y");
                   }});
  all.push_back({"words with their scales", {"x"}, {"q", "scale", "zero", "b"}, [](auto& model) {
                   add_typed_input(model, "x", ElementType::float32, {4, 6});
                   add_typed_input(model, "q", ElementType::int8, {6, 8});
                   add_typed_input(model, "scale", ElementType::float32, {8});
                   add_typed_input(model, "zero", ElementType::int8, {8});
                   add_typed_input(model, "b", ElementType::int32, {8});
                   set_integer(put(model, "DequantizeLinear", {"q", "scale", "zero"}, "w"), "axis", 1);
                   set_integer(put(model, "DequantizeLinear", {"b", "scale"}, "bias"), "axis", 0);
                   put(model, "Gemm", {"x", "w", "bias"}, "y");
                 }});
  all.push_back({"a matrix that is scaled", {"x"}, {"w", "scale"}, [](auto& model) {
                   add_typed_input(model, "x", ElementType::float32, {4, 6});
                   add_typed_input(model, "w", ElementType::float32, {6, 8});
                   add_typed_input(model, "scale", ElementType::float32, {8});
                   put(model, "Mul", {"w", "scale"}, "scaled");
                   put(model, "MatMul", {"x", "scaled"}, "y");
                 }});
  all.push_back({"words that arithmetic scales", {"x"}, {"q", "zero", "scale"}, [](auto& model) {
                   add_typed_input(model, "x", ElementType::float32, {4, 6});
                   add_typed_input(model, "q", ElementType::int8, {6, 8});
                   add_typed_input(model, "zero", ElementType::int8, {8});
                   add_typed_input(model, "scale", ElementType::float32, {8});
                   put_cast(model, "q", "wide");
                   put_cast(model, "zero", "wide_zero");
                   put(model, "Sub", {"wide", "wide_zero"}, "centred");
                   put(model, "Mul", {"scale", "centred"}, "w");
                   put(model, "MatMul", {"x", "w"}, "y");
                 }});
  all.push_back({"a choice of experts", {"x", "router"}, {"w1", "w2"}, [](auto& model) {
                   add_typed_input(model, "x", ElementType::float32, {5, 8});
                   add_typed_input(model, "router", ElementType::float32, {5, 4});
                   add_typed_input(model, "w1", ElementType::float32, {4, 12, 8});
                   add_typed_input(model, "w2", ElementType::float32, {4, 8, 12});
                   put(model, "MoE", {"x", "router", "w1", "", "w2"}, "y").set_domain("com.microsoft");
                 }});
  // With weights of its own, whatever multiplies them.
  all.push_back(
      {"a quantised product", {"x", "mask"}, {}, [](auto& model) {
         add_typed_input(model, "x", ElementType::float32, {4, 6});
         add_typed_input(model, "mask", ElementType::float32, {4, 8});
         add_weight(model, "w", ElementType::int8, {6, 8});
         add_weight(model, "scale", ElementType::float32, {1});
         put(model, "DynamicQuantizeMatMul", {"x", "w", "scale"}, "a").set_domain("com.microsoft");
         put(model, "Mul", {"a", "mask"}, "y");
       }});
  all.push_back({"a matrix in one row", {"x", "mask"}, {}, [](auto& model) {
                   add_typed_input(model, "x", ElementType::float32, {6, 4});
                   add_typed_input(model, "mask", ElementType::float32, {8, 4});
                   add_weight(model, "row", ElementType::float32, {48});
                   auto& lengths = *model.mutable_graph()->add_initializer();
                   lengths.set_name("lengths");
                   lengths.set_data_type(onnx::TensorProto::INT64);
                   lengths.add_dims(2);
                   for (const int length : {8, 6}) lengths.add_int64_data(length);
                   put(model, "Reshape", {"row", "lengths"}, "w");
                   put(model, "MatMul", {"w", "x"}, "a");
                   put(model, "Mul", {"a", "mask"}, "y");
                 }});
  all.push_back({"a matrix divided by a length", {"x", "mask"}, {}, [](auto& model) {
                   add_typed_input(model, "x", ElementType::float32, {4, 6});
                   add_typed_input(model, "mask", ElementType::float32, {4, 8});
                   add_weight(model, "v", ElementType::float32, {6, 8});
                   put(model, "Size", {"x"}, "size");
                   put_cast(model, "size", "length");
                   put(model, "Div", {"v", "length"}, "w");
                   put(model, "MatMul", {"x", "w"}, "a");
                   put(model, "Mul", {"a", "mask"}, "y");
                 }});
  all.push_back({"a table that is added", {"x"}, {"w", "table"}, [](auto& model) {
                   make_scores(model);
                   add_typed_input(model, "table", ElementType::float32, {1, 4, 8});
                   put(model, "Add", {"scores", "table"}, "y");
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
