// The products of attention operators and of what took their place: against numbers by hand.
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/input/onnx/network_report.hpp"
#include "tests/unit/input/onnx/onnx_fixture.hpp"

using namespace zz::core;
using namespace zz::core::onnx_import;
using namespace zz::test;

namespace {

constexpr const char* microsoft = "com.microsoft";

onnx::NodeProto& add_microsoft(onnx::ModelProto& model, const std::string& type,
                               const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = add_node(*model.mutable_graph(), type, inputs, outputs);
  node.set_domain(microsoft);
  return node;
}

void add_floats(onnx::ModelProto& model, const std::string& name, const Shape& shape) {
  add_typed_input(model, name, ElementType::float32, shape);
}

/// Tokens 2 x 6, two heads of queries and keys with widths 4 and 5.
onnx::ModelProto linear_attention(const std::string& rule, std::int64_t query_heads) {
  onnx::ModelProto model = empty_model(27);
  add_floats(model, "q", {2, 6, 4 * query_heads});
  add_floats(model, "k", {2, 6, 8});
  add_floats(model, "v", {2, 6, 10});
  onnx::NodeProto& node =
      add_node(*model.mutable_graph(), "LinearAttention", {"q", "k", "v"}, {"y", "state"});
  set_integer(node, "q_num_heads", query_heads);
  set_integer(node, "kv_num_heads", 2);
  set_text(node, "update_rule", rule);
  return model;
}

}  // namespace

TEST_CASE("attention: a linear one updates its state and reads it for every token") {
  constexpr std::int64_t once = 2 * 2 * 6 * 4 * 5;  // batch, heads, tokens, widths
  CHECK(all_macs(evaluated(linear_attention("linear", 2))) == 2 * once);
  CHECK(all_macs(evaluated(linear_attention("gated", 2))) == 2 * once);
  CHECK(all_macs(evaluated(linear_attention("delta", 2))) == 3 * once);
  // Four heads of queries share two states.
  const Network network = evaluated(linear_attention("gated_delta", 4));
  CHECK(all_macs(network) == 4 * once);
  CHECK(tensor(network, "y").shape == Shape{2, 6, 4 * 5});
  CHECK(tensor(network, "state").shape == Shape{2, 2, 4, 5});
  const Workload workload = read_model(linear_attention("gated_delta", 4), {});
  REQUIRE(workload.layers.size() == 3);
  CHECK(workload.layers[2]->name == "Op0/output");
  // Tokens follow each other.
  for (const auto& layer : workload.layers) {
    CHECK(layer->loops.back().name == "T");
    CHECK(layer->loops.back().sequential);
  }
}

TEST_CASE("attention: GatedDeltaNet has its tokens behind each other") {
  onnx::ModelProto model = empty_model(17);
  add_floats(model, "q", {12, 2, 4});
  add_floats(model, "k", {12, 2, 4});
  add_floats(model, "v", {12, 4, 5});
  add_typed_input(model, "ends", ElementType::int32, {3});
  add_microsoft(model, "GatedDeltaNet", {"q", "k", "v", "ends"}, {"y", "state"});
  const Network network = evaluated(model);
  CHECK(all_macs(network) == 3 * 12 * 4 * 4 * 5);
  CHECK(tensor(network, "y").shape == Shape{12, 4, 5});
  CHECK(tensor(network, "state").shape == Shape{2, 4, 5, 4});
}

TEST_CASE("attention: a causal convolution looks at each channel, and keeps what it looks back on") {
  onnx::ModelProto model = empty_model(27);
  add_floats(model, "x", {2, 6, 10});
  add_weight(model, "w", ElementType::float32, {6, 1, 4});
  add_node(*model.mutable_graph(), "CausalConvWithState", {"x", "w"}, {"y", "state"});
  const Network network = evaluated(model);
  CHECK(all_macs(network) == 2 * 6 * 10 * 4);
  CHECK(tensor(network, "y").shape == Shape{2, 6, 10});
  CHECK(tensor(network, "state").shape == Shape{2, 6, 3});

  onnx::ModelProto last = empty_model(17);
  add_floats(last, "x", {2, 10, 3, 2});
  add_weight(last, "w", ElementType::float32, {6, 1, 4});
  onnx::NodeProto& node = add_microsoft(last, "CausalConvWithState", {"x", "w"}, {"y", "state"});
  set_integer(node, "channels_last", 1);
  set_integer(node, "dilation", 2);
  CHECK(all_macs(evaluated(last)) == 2 * 6 * 10 * 4);
  CHECK(tensor(evaluated(last), "state").shape == Shape{2, 6, 3, 2});
}

TEST_CASE("attention: tokens without padding meet the keys of the longest sequence") {
  constexpr std::int64_t heads = 2, width = 4, tokens = 12, keys = 8;
  onnx::ModelProto model = empty_model(17);
  add_floats(model, "x", {tokens, 16});
  add_weight(model, "w", ElementType::float32, {16, 3 * heads * width});
  add_weight(model, "bias", ElementType::float32, {3 * heads * width});
  add_typed_input(model, "offsets", ElementType::int32, {2, keys});
  add_typed_input(model, "ends", ElementType::int32, {3});
  set_integer(add_microsoft(model, "PackedAttention", {"x", "w", "bias", "offsets", "ends"}, {"y"}),
              "num_heads", heads);
  const Network network = evaluated(model);
  CHECK(all_macs(network) == tokens * 16 * 3 * heads * width + 2 * tokens * keys * heads * width);
  CHECK(tensor(network, "y").shape == Shape{tokens, heads * width});
}

TEST_CASE("attention: pages of keys and values hold those of a sequence") {
  constexpr std::int64_t query_heads = 4, width = 8, tokens = 6, pages = 3, in_page = 16;
  onnx::ModelProto model = empty_model(17);
  add_floats(model, "q", {tokens, query_heads * width});
  add_floats(model, "k", {tokens, 2 * width});
  add_floats(model, "v", {tokens, 2 * width});
  add_floats(model, "keys", {20, in_page, 2, width});
  add_floats(model, "values", {20, in_page, 2, width});
  add_typed_input(model, "ends", ElementType::int32, {3});
  add_typed_input(model, "past", ElementType::int32, {2});
  add_typed_input(model, "table", ElementType::int32, {2, pages});
  onnx::NodeProto& node =
      add_microsoft(model, "PagedAttention", {"q", "k", "v", "keys", "values", "ends", "past", "table"},
                    {"y", "keys_out", "values_out"});
  set_integer(node, "num_heads", query_heads);
  set_integer(node, "kv_num_heads", 2);
  const Network network = evaluated(model);
  CHECK(all_macs(network) == 2 * tokens * query_heads * pages * in_page * width);
  CHECK(tensor(network, "y").shape == Shape{tokens, query_heads * width});
  CHECK(tensor(network, "keys_out").shape == Shape{20, in_page, 2, width});
}

TEST_CASE("attention: a window is as wide as it says, a cache of fixed length is met whole") {
  onnx::ModelProto model = empty_model(17);
  add_floats(model, "x", {1, 64, 16});
  add_weight(model, "w", ElementType::float32, {16, 48});
  add_weight(model, "b", ElementType::float32, {48});
  add_floats(model, "mask", {1, 64});
  add_weight(model, "gw", ElementType::float32, {16, 48});
  add_weight(model, "gb", ElementType::float32, {48});
  add_typed_input(model, "global", ElementType::int32, {1, 64});
  onnx::NodeProto& node =
      add_microsoft(model, "LongformerAttention", {"x", "w", "b", "mask", "gw", "gb", "global"}, {"y"});
  set_integer(node, "num_heads", 2);
  set_integer(node, "window", 4);
  CHECK(all_macs(evaluated(model)) == 2 * 64 * 16 * 48 + 2 * 64 * 9 * 16);

  onnx::ModelProto decode = empty_model(17);
  add_floats(decode, "x", {1, 1, 16});
  add_weight(decode, "w", ElementType::float32, {16, 48});
  add_weight(decode, "b", ElementType::float32, {48});
  add_floats(decode, "past", {2, 1, 2, 32, 8});
  onnx::NodeProto& step =
      add_microsoft(decode, "DecoderMaskedSelfAttention", {"x", "w", "b", "", "past"}, {"y", "present"});
  set_integer(step, "num_heads", 2);
  set_integer(step, "past_present_share_buffer", 1);
  CHECK(all_macs(evaluated(decode)) == 16 * 48 + 2 * 32 * 16);
  CHECK(tensor(evaluated(decode), "present").shape == Shape{2, 1, 2, 32, 8});
}

TEST_CASE("products of matrices that are packed count what is in them") {
  onnx::ModelProto model = empty_model(17);
  add_floats(model, "x", {1, 3, 64});
  for (const char* name : {"a", "b"}) add_weight(model, name, ElementType::uint8, {10, 2, 16});
  add_weight(model, "scales", ElementType::float32, {20});
  onnx::NodeProto& both =
      add_microsoft(model, "MatMulNBitsMlp", {"x", "", "", "a", "scales", "", "b", "scales"}, {"y"});
  set_integer(both, "K", 64);
  set_integer(both, "N", 10);
  add_weight(model, "c", ElementType::uint8, {7, 32});
  add_weight(model, "block_scales", ElementType::uint8, {7, 4});
  add_numbers(model, "scale", {1});
  add_microsoft(model, "MatMulBlockQuantizedFp4Weight", {"x", "c", "block_scales", "scale"}, {"z"});
  const Network network = evaluated(model);
  CHECK(all_macs(network) == 3 * 64 * 10 * 2 + 3 * 64 * 7);
  CHECK(tensor(network, "z").shape == Shape{1, 3, 7});
  CHECK(parameter_count(network) == 2 * 64 * 10 + 64 * 7);
  const Workload workload = read_model(model, {});
  REQUIRE(workload.layers.size() == 3);
  for (const auto& layer : workload.layers)
    CHECK(layer->operands[static_cast<std::size_t>(layer->operand_index("W"))].precision == 4);
}

TEST_CASE("blocks of packed and of dequantised weights have the scales and zero points of the file") {
  onnx::ModelProto model = empty_model(21);
  add_floats(model, "x", {3, 64});
  add_weight(model, "packed", ElementType::uint8, {10, 2, 16});
  add_weight(model, "scales", ElementType::float16, {20});
  add_weight(model, "zeros", ElementType::uint8, {10});
  onnx::NodeProto& product = add_microsoft(model, "MatMulNBits", {"x", "packed", "scales", "zeros"}, {"y"});
  for (const auto& [name, value] : {std::pair{"K", 64}, {"N", 10}, {"bits", 4}, {"block_size", 32}})
    set_integer(product, name, value);
  add_weight(model, "quantised", ElementType::int8, {64, 6});
  add_weight(model, "block_scales", ElementType::float32, {4, 6});
  onnx::NodeProto& floats =
      add_node(*model.mutable_graph(), "DequantizeLinear", {"quantised", "block_scales"}, {"w"});
  set_integer(floats, "block_size", 16);
  set_integer(floats, "axis", 0);
  add_node(*model.mutable_graph(), "MatMul", {"x", "w"}, {"z"});
  const Workload workload = read_model(model, {});
  REQUIRE(workload.layers.size() == 2);
  const auto weights = [&](std::size_t layer) {
    const Layer& of = *workload.layers[layer];
    return of.operands[static_cast<std::size_t>(of.operand_index("W"))];
  };
  CHECK(weights(0).precision == 4);
  CHECK(weights(0).scale == BlockScale{16 + 4, 32, ""});
  CHECK(weights(1).precision == 8);
  CHECK(weights(1).scale == BlockScale{32, 16, "C"});
  CHECK(parameter_count(evaluated(model)) == 64 * 10 + 64 * 6);
  CHECK(parameter_bytes(evaluated(model)) == 320 + 2 * 20 + 10 + 64 * 6 + 4 * 24);
}

TEST_CASE("a file with weights of its own is handed data alone, keys of fixed length among them") {
  onnx::ModelProto model = empty_model(17);
  add_floats(model, "q", {1, 4, 1, 8});
  add_floats(model, "past_keys", {1, 4, 8, 16});
  add_floats(model, "x", {1, 64});
  add_node(*model.mutable_graph(), "MatMul", {"q", "past_keys"}, {"scores"});
  const auto weights = [&](const onnx::ModelProto& of) { return parameter_count(evaluated(of)); };
  CHECK(weights(model) == 4 * 8 * 16);
  add_weight(model, "w", ElementType::float32, {64, 32});
  add_node(*model.mutable_graph(), "MatMul", {"x", "w"}, {"y"});
  CHECK(weights(model) == 64 * 32);
  CHECK_FALSE(tensor(evaluated(model), "past_keys").constant);
}

TEST_CASE("weights that a file writes as constants are parameters, tables are not") {
  const auto with_constant = [](const char* reader) {
    onnx::ModelProto model = empty_model(17);
    add_floats(model, "x", {4, 4});
    onnx::AttributeProto& value = *add_node(*model.mutable_graph(), "Constant", {}, {"w"}).add_attribute();
    value.set_name("value");
    value.set_type(onnx::AttributeProto::TENSOR);
    value.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t length : {4, 4}) value.mutable_t()->add_dims(length);
    for (int i = 0; i < 16; ++i) value.mutable_t()->add_float_data(1);
    add_node(*model.mutable_graph(), reader, {"x", "w"}, {"y"});
    return parameter_count(evaluated(model));
  };
  CHECK(with_constant("MatMul") == 16);
  CHECK(with_constant("Mul") == 0);
}
