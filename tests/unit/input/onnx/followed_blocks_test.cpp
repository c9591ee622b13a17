// The axis along which blocks of numbers lie, from where a file has them to the layer that reads them.
#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/input/onnx/network_report.hpp"
#include "tests/unit/input/onnx/onnx_fixture.hpp"

using namespace zz::core;
using namespace zz::core::onnx_import;
using namespace zz::test;

namespace {

/// Whole numbers of an initialiser.
void add_lengths(onnx::ModelProto& model, const std::string& name,
                 const std::vector<std::int64_t>& values) {
  onnx::TensorProto& made = *model.mutable_graph()->add_initializer();
  made.set_name(name);
  made.set_data_type(onnx::TensorProto::INT64);
  made.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) made.add_int64_data(value);
}

/// Weights of bytes with a scale of 16 bits for each block along the axis, as "w".
onnx::ModelProto dequantised(const Shape& shape, std::int64_t axis, std::int64_t block) {
  onnx::ModelProto model = empty_model(21);
  Shape scales = shape;
  scales[static_cast<std::size_t>(axis)] /= block;
  add_weight(model, "bytes", ElementType::int8, shape);
  add_weight(model, "scales", ElementType::float16, scales);
  onnx::NodeProto& node = put(model, "DequantizeLinear", {"bytes", "scales"}, "w");
  set_integer(node, "axis", axis);
  set_integer(node, "block_size", block);
  return model;
}

/// The scale of the weights of a product of x of 3 rows with `weights`.
BlockScale scale_of_product(onnx::ModelProto model, const std::string& weights, std::int64_t rows,
                            std::string* warnings = nullptr) {
  add_typed_input(model, "x", ElementType::float16, {3, rows});
  put(model, "MatMul", {"x", weights}, "y");
  Diagnostics told;
  const Workload workload = read_model(model, {}, &told);
  REQUIRE(workload.layers.size() == 1);
  if (warnings != nullptr) *warnings = warnings_of(told);
  const Layer& layer = *workload.layers.front();
  return layer.operands[static_cast<std::size_t>(layer.operand_index("W"))].scale;
}

constexpr const char* not_followed = "the scales of the blocks of 'v' do not count";

}  // namespace

TEST_CASE("blocks are followed through what keeps each element in its place, and through transpositions") {
  onnx::ModelProto model = dequantised({16, 8}, 0, 4);
  put(model, "Identity", {"w"}, "u");
  onnx::NodeProto& turned = put(model, "Transpose", {"u"}, "t");
  SUBCASE("the axes in reverse, which needs no perm") {}
  SUBCASE("the same in words") { set_integers(turned, "perm", {1, 0}); }
  set_integers(put(model, "Transpose", {"t"}, "v"), "perm", {1, 0});
  CHECK(scale_of_product(model, "v", 16) == BlockScale{16, 4, "C"});
}

TEST_CASE("blocks are not followed through what takes them apart, although shapes are equal") {
  onnx::ModelProto model = dequantised({16, 8}, 0, 4);
  SUBCASE("rows are chosen one by one") {
    add_lengths(model, "places", {5, 1, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 4, 8, 12});
    put(model, "Gather", {"w", "places"}, "v");
  }
  SUBCASE("others are written over them") {
    add_lengths(model, "places", {1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 14});
    put(model, "Reshape", {"places", "column"}, "indices");
    add_lengths(model, "column", {16, 1});
    put(model, "ScatterND", {"w", "indices", "w"}, "v");
  }
  std::string warnings;
  CHECK_FALSE(scale_of_product(model, "v", 16, &warnings).any());
  CHECK(warnings.find(not_followed) != std::string::npos);
}

TEST_CASE("blocks are followed through a reshape that keeps them whole") {
  const struct {
    Shape from;
    std::int64_t axis, block;
    Shape to;
    BlockScale scale;
  } cases[] = {
      {{32, 8}, 0, 4, {4, 8, 8}, {16, 4, "C"}},   // there and back
      {{4, 8, 8}, 1, 4, {32, 8}, {16, 4, "C"}},   // whole blocks of 8 rows follow each other
      {{4, 6, 8}, 1, 6, {24, 8}, {16, 6, "C"}},   // the same, of a block each
      {{32, 4, 2}, 1, 2, {32, 8}, {}},            // neighbours are 2 apart
      {{32, 8}, 0, 16, {4, 8, 8}, {}},            // halves of blocks of the first axis
      {{16, 8}, 1, 8, {32, 4}, {}},               // halves of blocks
      {{16, 8}, 1, 4, {32, 4}, {16, 4, "K"}},     // whole blocks
      {{1, 16, 8}, 1, 4, {16, 8}, {16, 4, "C"}},  // an axis of 1 is none
  };
  for (const auto& one : cases) {
    const std::ptrdiff_t index = &one - cases;
    CAPTURE(index);
    const Shape& to = one.to;
    onnx::ModelProto model = dequantised(one.from, one.axis, one.block);
    add_lengths(model, "to", to);
    put(model, "Reshape", {"w", "to"}, "v");
    if (to.size() == 3) {
      add_lengths(model, "matrix", {32, 8});
      put(model, "Reshape", {"v", "matrix"}, "again");
    }
    std::string warnings;
    const std::string weights = to.size() == 3 ? "again" : "v";
    CHECK(scale_of_product(model, weights, to.size() == 3 ? 32 : to[0], &warnings) == one.scale);
    CHECK((warnings.find("do not count") != std::string::npos) == !one.scale.any());
  }
}

TEST_CASE("an order of axes that is none is an error, also an empty one") {
  for (const std::vector<std::int64_t>& order : {std::vector<std::int64_t>{}, {0}, {0, 0}, {0, 1, 2}}) {
    CAPTURE(order.size());
    onnx::ModelProto model = dequantised({16, 8}, 0, 4);
    onnx::NodeProto& node = put(model, "Transpose", {"w"}, "v");
    set_integers(node, "perm", order);
    node.mutable_attribute(0)->set_type(onnx::AttributeProto::INTS);
    add_typed_input(model, "x", ElementType::float16, {3, 8});
    put(model, "MatMul", {"x", "v"}, "y");
    CHECK(failure_of(model, {}).find("which is no order of 2 axes") != std::string::npos);
  }
}

TEST_CASE("scales of rows, as of QONNX, are those of blocks where a row of the layer has several") {
  const auto rounded = [](const Shape& weights, const Shape& scales, bool zeros) {
    onnx::ModelProto model = empty_model(17);
    add_weight(model, "floats", ElementType::float32, weights);
    add_weight(model, "scale", ElementType::float16, scales);
    add_weight(model, "zero", ElementType::float32, zeros ? scales : Shape{});
    add_numbers(model, "bits", {4});
    put(model, "Quant", {"floats", "scale", "zero", "bits"}, "w").set_domain("qonnx.custom_op.general");
    return model;
  };
  const auto of_groups = [&](const Shape& weights, const Shape& scales, bool zeros) {
    onnx::ModelProto model = rounded(weights, scales, zeros);
    add_lengths(model, "matrix", {10, 64});
    put(model, "Reshape", {"w", "matrix"}, "rows");
    put(model, "Transpose", {"rows"}, "v");
    std::string warnings;
    const BlockScale scale = scale_of_product(model, "v", 64, &warnings);
    CHECK(warnings.find("do not count") == std::string::npos);
    return scale;
  };
  CHECK(of_groups({10, 4, 16}, {10, 4, 1}, false) == BlockScale{16, 16, "C"});
  CHECK(of_groups({10, 4, 16}, {10, 4, 1}, true) == BlockScale{16 + 4, 16, "C"});
  CHECK(of_groups({40, 16}, {40, 1}, false) == BlockScale{16, 16, "C"});
  CHECK_FALSE(of_groups({40, 16}, {20, 1}, false).any());  // does not fit
  onnx::ModelProto model = empty_model(17);
  add_weight(model, "bytes", ElementType::int8, {40, 16});
  add_weight(model, "scale", ElementType::float32, {40});
  set_integer(put(model, "DequantizeLinear", {"bytes", "scale"}, "w"), "axis", 0);
  add_lengths(model, "matrix", {10, 64});
  put(model, "Reshape", {"w", "matrix"}, "rows");
  put(model, "Transpose", {"rows"}, "v");
  CHECK(scale_of_product(model, "v", 64) == BlockScale{32, 16, "C"});
  // One for each channel, or for the whole tensor, is of no block.
  CHECK_FALSE(of_groups({10, 64}, {10, 1}, false).any());
  CHECK_FALSE(of_groups({10, 64}, {1}, false).any());
  CHECK_FALSE(of_groups({10, 1, 64}, {10, 1, 1}, false).any());
  CHECK_FALSE(of_groups({10, 4, 16}, {10, 1, 1}, false).any());
}

TEST_CASE("weights without an element have no scales") {
  onnx::ModelProto model = empty_model(17);
  add_weight(model, "floats", ElementType::float32, {4, 0});
  add_weight(model, "scale", ElementType::float16, {4, 1});
  add_weight(model, "zero", ElementType::float32, {});
  add_numbers(model, "bits", {4});
  put(model, "Quant", {"floats", "scale", "zero", "bits"}, "none").set_domain("qonnx.custom_op.general");
  add_lengths(model, "to", {0, 0, 1});
  put(model, "Reshape", {"none", "to"}, "still_none");
  add_weight(model, "w", ElementType::int8, {16, 8});
  CHECK_FALSE(scale_of_product(model, "w", 16).any());
}
