// Which constants of a file count as its parameters.
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>

#include "core/input/onnx/network_report.hpp"
#include "tests/unit/input/onnx/onnx_fixture.hpp"

using namespace zz::core;
using namespace zz::core::onnx_import;
using namespace zz::test;

TEST_CASE("parameters: what products and biases read counts, whatever its type") {
  for (const ElementType type : {ElementType::int16, ElementType::int32, ElementType::uint16,
                                 ElementType::int64, ElementType::uint32, ElementType::uint64}) {
    CAPTURE(name_of(type));
    onnx::ModelProto model = empty_model(17);
    add_typed_input(model, "x", type, {4, 6});
    add_weight(model, "w", type, {6, 8});
    add_weight(model, "b", type, {8});
    put(model, "MatMul", {"x", "w"}, "a");
    put(model, "Add", {"a", "b"}, "y");
    CHECK(parameter_count(evaluated(model)) == 6 * 8 + 8);
    CHECK(parameter_bytes(evaluated(model)) == (6 * 8 + 8) * bits_of(type) / 8);
  }
}

namespace {

/// A file, and the number of its parameters.
struct Counted {
  std::string name;
  std::int64_t parameters;
  std::function<void(onnx::ModelProto&)> make;
};

/// A table of six columns from which rows are taken: by data, or by a list in the file.
void put_rows(onnx::ModelProto& model, ElementType type, bool by_data) {
  add_weight(model, "table", type, {9, 6});
  add_typed_input(model, "places", ElementType::int64, {4});
  add_weight(model, "list", ElementType::int64, {4});
  put(model, "Gather", {"table", by_data ? "places" : "list"}, "rows");
}

std::vector<Counted> counted() {
  constexpr std::int64_t w = 6 * 8;
  const auto dense = [](onnx::ModelProto& model, const std::string& x) {
    add_weight(model, "w", ElementType::float32, {6, 8});
    put(model, "MatMul", {x, "w"}, "y");
  };
  std::vector<Counted> all;
  all.push_back({"a matrix of int32, widened", w, [](auto& model) {
                   add_weight(model, "q", ElementType::int32, {6, 8});
                   put_cast(model, "q", "w");
                   put(model, "MatMul", {"x", "w"}, "y");
                 }});
  all.push_back({"a matrix of int64 in a Constant", w, [](auto& model) {
                   onnx::NodeProto& node = put(model, "Constant", {}, "q");
                   auto& value = *node.add_attribute();
                   value.set_name("value");
                   value.set_type(onnx::AttributeProto::TENSOR);
                   value.mutable_t()->set_data_type(onnx::TensorProto::INT64);
                   for (const int length : {6, 8}) value.mutable_t()->add_dims(length);
                   put_cast(model, "q", "w");
                   put(model, "MatMul", {"x", "w"}, "y");
                 }});
  all.push_back({"words of int16 with scale and zero point", w, [](auto& model) {
                   add_weight(model, "q", ElementType::int16, {6, 8});
                   add_weight(model, "zero", ElementType::int16, {8});
                   add_weight(model, "scale", ElementType::float32, {8});
                   set_integer(put(model, "DequantizeLinear", {"q", "scale", "zero"}, "w"), "axis", 1);
                   put(model, "MatMul", {"x", "w"}, "y");
                 }});
  all.push_back({"biases of int32 in the words of accumulators", w, [](auto& model) {
                   add_weight(model, "w", ElementType::float32, {6, 8});
                   add_weight(model, "q", ElementType::int32, {8});
                   add_weight(model, "scale", ElementType::float32, {8});
                   put(model, "DequantizeLinear", {"q", "scale"}, "bias");
                   put(model, "Gemm", {"x", "w", "bias"}, "y");
                 }});
  all.push_back({"a bias of a sum of int32", w + 8, [](auto& model) {
                   add_typed_input(model, "i", ElementType::int32, {4, 6});
                   add_weight(model, "q", ElementType::int32, {6, 8});
                   add_weight(model, "bias", ElementType::int32, {8});
                   put(model, "Gemm", {"i", "q", "bias"}, "y");
                 }});
  all.push_back({"a bias of a convolution of int16", 4 * 3 * 9 + 4, [](auto& model) {
                   add_typed_input(model, "image", ElementType::int16, {1, 3, 8, 8});
                   add_weight(model, "q", ElementType::int16, {4, 3, 3, 3});
                   add_weight(model, "bias", ElementType::int16, {4});
                   put(model, "Conv", {"image", "q", "bias"}, "y");
                 }});
  all.push_back({"biases that arithmetic scales, as their matrix", w + 8, [](auto& model) {
                   for (const char* name : {"scale", "b"})
                     add_weight(model, name, ElementType::float32, {8});
                   add_weight(model, "v", ElementType::float32, {6, 8});
                   put(model, "Mul", {"v", "scale"}, "w");
                   put(model, "Mul", {"b", "scale"}, "bias");
                   put(model, "Gemm", {"x", "w", "bias"}, "y");
                 }});
  all.push_back({"what nothing reads", w, [=](auto& model) {
                   add_weight(model, "left_over", ElementType::float32, {7});
                   dense(model, "x");
                 }});
  all.push_back({"lengths, places and indices", w, [=](auto& model) {
                   add_weight(model, "lengths", ElementType::int64, {2});
                   add_weight(model, "list", ElementType::int64, {4});
                   put(model, "Reshape", {"x", "lengths"}, "moved");
                   put(model, "Gather", {"x", "list"}, "rows");
                   dense(model, "rows");
                 }});
  for (const bool by_data : {true, false}) {
    all.push_back({"rows of int32 that are multiplied", 9 * 6 + w, [=](auto& model) {
                     put_rows(model, ElementType::int32, by_data);
                     put_cast(model, "rows", "e");
                     put(model, "Transpose", {"e"}, "columns");
                     put(model, "MatMul", {"x", "columns"}, "z");
                     dense(model, "x");
                   }});
    all.push_back({"rows of float32 that are added", 9 * 6 + w, [=](auto& model) {
                     put_rows(model, ElementType::float32, by_data);
                     put(model, "Add", {"rows", "x"}, "e");
                     dense(model, "e");
                   }});
  }
  all.push_back({"places of int64 that are added", w, [=](auto& model) {
                   put_rows(model, ElementType::int64, true);
                   put_cast(model, "rows", "e");
                   put(model, "Add", {"e", "x"}, "d");
                   dense(model, "d");
                 }});
  all.push_back({"numbers that an operator computes with, beside weights", w + 2, [=](auto& model) {
                   add_numbers(model, "low", {-1});
                   add_numbers(model, "high", {1});
                   put(model, "Clip", {"x", "low", "high"}, "e");
                   dense(model, "e");
                 }});
  all.push_back({"a scale that only data meet", w + 6, [=](auto& model) {
                   add_weight(model, "scale", ElementType::float32, {6});
                   put(model, "Mul", {"x", "scale"}, "e");
                   dense(model, "e");
                 }});
  all.push_back({"what a branch on data does not take", w + 6 * 5, [=](auto& model) {
                   add_typed_input(model, "which", ElementType::boolean, {});
                   dense(model, "x");
                   onnx::NodeProto& node = put(model, "If", {"which"}, "z");
                   for (const char* branch : {"then_branch", "else_branch"}) {
                     auto& attribute = *node.add_attribute();
                     attribute.set_name(branch);
                     attribute.set_type(onnx::AttributeProto::GRAPH);
                     auto& graph = *attribute.mutable_g();
                     if (branch == std::string("then_branch")) {
                       auto& matrix = *graph.add_initializer();
                       matrix.set_name("own");
                       matrix.set_data_type(onnx::TensorProto::FLOAT);
                       for (const int length : {6, 5}) matrix.add_dims(length);
                     }
                     // The other branch multiplies more.
                     const bool has_own = graph.initializer_size() > 0;
                     add_node(graph, "MatMul", {"x", has_own ? "own" : "w"}, {"r"});
                     graph.add_output()->set_name("r");
                   }
                 }});
  return all;
}

}  // namespace

TEST_CASE("parameters: constants count by what reads them") {
  for (const Counted& each : counted()) {
    CAPTURE(each.name);
    onnx::ModelProto model = empty_model(21);
    add_typed_input(model, "x", ElementType::float32, {4, 6});
    each.make(model);
    CHECK(parameter_count(evaluated(model)) == each.parameters);
  }
}

TEST_CASE("parameters: lengths and factors of an enlargement are none") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {1, 2, 4, 4});
  add_numbers(model, "factors", {1, 1, 2, 2}, {4});
  add_weight(model, "w", ElementType::float32, {3, 2, 1, 1});
  put(model, "Resize", {"x", "", "factors"}, "large");
  put(model, "Conv", {"large", "w"}, "y");
  CHECK(parameter_count(evaluated(model)) == 6);
}
