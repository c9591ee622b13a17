#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/input/onnx/workload.hpp"
#include "core/multicore/graph/split.hpp"
#include "tests/unit/input/onnx/onnx_fixture.hpp"

// Layers and shape changes of networks for several cores; the defaults where Stream 0.0.8 is plainly wrong.

namespace {

using namespace zz::core;
using namespace zz::test;

const Rules compat = rules_of("stream-0.0.8");

MappingFile mapping_of(const std::vector<std::pair<std::string, std::int64_t>>& cores) {
  MappingFile file = default_mapping();
  for (const auto& [name, core] : cores) {
    LayerMapping entry = file.entries.front();
    entry.name = name;
    entry.core_allocation = {core};
    file.entries.push_back(entry);
  }
  return file;
}

const OnnxSettings bytes{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}, {}};

Workload read(const onnx::ModelProto& model, const Rules& rules = {},
              const MappingFile& mapping = default_mapping(), const OnnxSettings& settings = bytes) {
  const TemporaryFile file(model.SerializeAsString());
  Diagnostics unused;
  return read_stream_onnx(file.path(), mapping, rules, unused, settings);
}

/// Gives the model a constant list of integers.
void add_list(onnx::ModelProto& model, const std::string& name, const std::vector<std::int64_t>& values) {
  auto& list = *model.mutable_graph()->add_initializer();
  list.set_name(name);
  list.set_data_type(onnx::TensorProto::INT64);
  list.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) list.add_int64_data(value);
}

ShapeChange change(ShapeChange::Kind kind, std::vector<std::int64_t> shape,
                   std::vector<std::int64_t> indices, std::int64_t axis, std::int64_t first,
                   std::vector<std::int64_t> from) {
  return {kind, std::move(shape), std::move(indices), axis, first, std::move(from)};
}

std::string failure(const onnx::ModelProto& model) {
  try {
    read(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void add_result(onnx::ModelProto& model, const std::string& name) {
  auto& value = *model.mutable_graph()->add_output();
  value.set_name(name);
  value.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
}

onnx::NodeProto& add_named(onnx::ModelProto& model, const std::string& type,
                           const std::vector<std::string>& inputs, const std::string& output) {
  onnx::NodeProto& node = add_node(*model.mutable_graph(), type, inputs, {output});
  node.set_name(output);
  return node;
}

onnx::NodeProto& add_conv(onnx::ModelProto& model, const std::string& input, const std::string& output,
                          const std::vector<std::int64_t>& weight) {
  add_input(model, output + ".weight", weight);
  onnx::NodeProto& node = add_named(model, "Conv", {input, output + ".weight"}, output);
  set_integers(node, "kernel_shape", {weight[2], weight[3]});
  return node;
}

/// An image of 4 channels, 10 rows and 20 columns.
onnx::ModelProto with_image() {
  onnx::ModelProto model = empty_model();
  add_input(model, "image", {1, 4, 10, 20});
  return model;
}

std::string names(const Layer& layer) {
  std::string text;
  for (const LoopDimension& loop : layer.loops)
    text += (text.empty() ? "" : " ") + loop.name + ":" + std::to_string(loop.size);
  return text;
}

std::vector<std::string> constants(const Layer& layer) {
  std::vector<std::string> found;
  for (const int i : layer.source_order)
    if (layer.operands[static_cast<std::size_t>(i)].constant)
      found.push_back(layer.operands[static_cast<std::size_t>(i)].name);
  return found;
}

const LayerOperand& operand(const Layer& layer, const std::string& name) {
  return layer.operands[static_cast<std::size_t>(layer.operand_index(name))];
}

}  // namespace

TEST_CASE("X is the width in every layer, unless Stream is reproduced") {
  onnx::ModelProto model = with_image();
  set_integers(add_conv(model, "image", "conv", {8, 4, 3, 1}), "pads", {1, 0, 1, 0});
  onnx::NodeProto& pool = add_named(model, "MaxPool", {"conv"}, "pool");
  set_integers(pool, "kernel_shape", {2, 1});
  set_integers(pool, "strides", {2, 1});
  add_named(model, "Add", {"pool", "pool"}, "sum");
  add_result(model, "sum");

  const Workload workload = read(model);
  REQUIRE(workload.layers.size() == 3);
  CHECK(names(*workload.layers[0]) == "B:1 K:8 G:1 OX:20 OY:10 C:4 FX:1 FY:3");
  CHECK(workload.layers[0]->relations[1].padding_low == 1);
  CHECK(names(*workload.layers[1]) == "B:1 K:8 OX:20 OY:5 FX:1 FY:2");
  CHECK(workload.layers[1]->relations[1].stride == 2);
  CHECK(workload.layers[1]->relations[1].size == 10);
  CHECK(names(*workload.layers[2]) == "B:1 K:8 OX:20 OY:5");
  CHECK(workload.layers[2]->equation == "O[b][k][oy][ox] = I[b][k][oy][ox] * W[b][k][oy][ox]");

  const Workload original = read(model, compat);
  CHECK(names(*original.layers[0]) == "B:1 K:8 G:1 OX:20 OY:10 C:4 FX:3 FY:1");
  CHECK(names(*original.layers[1]) == "B:1 K:8 OX:5 OY:20 C:8 FX:2 FY:1");
  CHECK(original.layers[1]->name == "Layer1");
  CHECK(names(*original.layers[2]) == "B:1 K:8 OX:5 OY:20");
}

TEST_CASE("pooling has weights of no bits, and works on each channel once") {
  onnx::ModelProto model = with_image();
  add_named(model, "GlobalAveragePool", {"image"}, "mean");
  add_result(model, "mean");
  const Workload workload = read(model);
  const Layer& layer = *workload.layers[0];
  CHECK(layer.type == "pooling");
  CHECK(names(layer) == "B:1 K:4 OX:1 OY:1 FX:20 FY:10");
  CHECK(layer.mac_count() == 4 * 200);
  CHECK(operand(layer, "W").precision == 0);
  CHECK(operand(layer, "O").precision == 8);
  CHECK(constants(layer) == std::vector<std::string>{"I", "W"});
  CHECK(read(model, compat).layers[0]->mac_count() == 4 * 4 * 200);
}

TEST_CASE("padding that the shapes imply is worked out") {
  for (const char* type : {"Conv", "MaxPool"}) {
    CAPTURE(type);
    onnx::ModelProto model = with_image();
    add_input(model, "w", {4, 4, 4, 3});
    onnx::NodeProto& node = add_named(model, type,
                                      type == std::string("Conv") ? std::vector<std::string>{"image", "w"}
                                                                  : std::vector<std::string>{"image"},
                                      "result");
    set_integers(node, "kernel_shape", {4, 3});
    auto& attribute = *node.add_attribute();
    attribute.set_name("auto_pad");
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s("SAME_LOWER");
    add_result(model, "result");
    const Workload workload = read(model);
    const DimensionRelation &x = workload.layers[0]->relations[0], &y = workload.layers[0]->relations[1];
    CHECK(workload.layers[0]->loop_size("OY") == 10);
    CHECK(x.padding_low == 1);
    CHECK(x.padding_high == 1);
    CHECK(y.padding_low == 2);
    CHECK(y.padding_high == 1);
  }
}

TEST_CASE("weights of groups depend on the output channel") {
  onnx::ModelProto model = with_image();
  set_integer(add_conv(model, "image", "conv", {8, 2, 1, 1}), "group", 2);
  add_result(model, "conv");
  CHECK(read(model).layers[0]->equation == "O[b][g][k][oy][ox] = W[g][k][c][fy][fx] * I[b][g][c][iy][ix]");
  CHECK(read(model).layers[0]->operand_elements(1, {}) == 16);
  CHECK(read(model, compat).layers[0]->equation ==
        "O[b][g][k][oy][ox] = W[g][c][fy][fx] * I[b][g][c][iy][ix]");
}

TEST_CASE("precisions of a convolution are those that the node gives") {
  onnx::ModelProto model = with_image();
  set_integer(add_conv(model, "image", "conv", {8, 4, 1, 1}), "weight_size", 4);
  add_result(model, "conv");
  CHECK(operand(*read(model, {}, default_mapping(), {}).layers[0], "W").precision == 4);
  CHECK(operand(*read(model, {}, default_mapping(), {}).layers[0], "I").precision == 32);
  CHECK(operand(*read(model, compat).layers[0], "W").precision == 8);
}

TEST_CASE("a mapping entry means a layer by node name, number, operator or type") {
  onnx::ModelProto model = with_image();
  add_conv(model, "image", "first", {8, 4, 1, 1});
  add_conv(model, "first", "second", {8, 8, 1, 1});
  add_named(model, "GlobalMaxPool", {"second"}, "pool");
  add_result(model, "pool");
  const auto cores = [&](const MappingFile& mapping, const Rules& rules) {
    std::vector<std::int64_t> found;
    for (const auto& layer : read(model, rules, mapping).layers)
      found.push_back(layer->mapping.core_allocation.front());
    return found;
  };
  using Cores = std::vector<std::int64_t>;
  CHECK(cores(mapping_of({{"Conv", 1}, {"second", 2}, {"pooling", 3}}), {}) == Cores{1, 2, 3});
  CHECK(cores(mapping_of({{"conv", 1}, {"Layer1", 2}, {"GlobalMaxPool", 3}}), {}) == Cores{1, 2, 3});
  CHECK(cores(mapping_of({{"Conv", 1}, {"second", 2}, {"pooling", 3}}), compat) == Cores{0, 0, 0});
  CHECK(cores(mapping_of({{"conv", 1}, {"Layer1", 2}, {"GlobalMaxPool", 3}}), compat) == Cores{1, 2, 3});
}

TEST_CASE("what no layer feeds lies off chip from the start") {
  onnx::ModelProto model = with_image();
  add_named(model, "Relu", {"image"}, "positive");
  add_conv(model, "positive", "conv", {4, 4, 1, 1});
  add_named(model, "Add", {"conv", "positive"}, "sum");
  add_named(model, "Mul", {"image", "positive"}, "product");
  add_result(model, "sum");
  add_result(model, "product");
  using Names = std::vector<std::string>;
  const Workload workload = read(model);
  CHECK(constants(*workload.layers[0]) == Names{"I", "W"});
  CHECK(constants(*workload.layers[1]) == Names{"W"});
  CHECK(operand(*workload.layers[1], "I").sources == std::vector<std::int64_t>{1});
  CHECK(constants(*workload.layers[2]) == Names{"W", "I"});
  const Workload original = read(model, compat);
  CHECK(constants(*original.layers[0]) == Names{"W"});
  CHECK(operand(*original.layers[0], "I").sources == std::vector<std::int64_t>{0});
  CHECK(original.layers[2]->source_order.size() == 2);
}

TEST_CASE("the inputs of a product are told apart by their places") {
  onnx::ModelProto model = empty_model();
  add_input(model, "a", {6, 4});
  add_input(model, "b", {4, 8});
  add_named(model, "MatMul", {"a", "b"}, "weights");
  add_input(model, "x", {5, 6});
  add_named(model, "MatMul", {"x", "weights"}, "product");
  add_result(model, "product");
  const Workload workload = read(model);
  const Layer& product = *workload.layers[1];
  CHECK(constants(product) == std::vector<std::string>{"I"});
  CHECK(operand(product, "W").sources == std::vector<std::int64_t>{0});
  CHECK(operand(*read(model, compat).layers[1], "I").sources == std::vector<std::int64_t>{0});
}

TEST_CASE("additions of different shapes cost nothing") {
  onnx::ModelProto model = with_image();
  add_conv(model, "image", "conv", {4, 4, 1, 1});
  add_input(model, "bias", {1, 4, 1, 1});
  add_named(model, "Add", {"conv", "bias"}, "sum");
  add_result(model, "sum");
  const Workload workload = read(model);
  CHECK(workload.layers.size() == 1);
  REQUIRE(workload.pass_through.size() == 1);
  CHECK(workload.pass_through[0].type == "add");
  CHECK(workload.pass_through[0].shape_change == ShapeChange{});
}

TEST_CASE("operators without cost keep what they do to shapes") {
  onnx::ModelProto model = with_image();
  add_conv(model, "image", "conv", {4, 4, 1, 1});
  set_integers(add_named(model, "Transpose", {"conv"}, "turned"), "perm", {0, 2, 3, 1});
  add_named(model, "Flatten", {"turned"}, "flat");
  add_list(model, "shape", {40, 20});
  add_named(model, "Reshape", {"flat", "shape"}, "folded");
  add_list(model, "index", {-1, 3});
  set_integer(add_named(model, "Gather", {"folded", "index"}, "chosen"), "axis", 1);
  add_list(model, "starts", {30, 0});
  add_list(model, "ends", {3, 1});
  add_list(model, "axes", {0, 1});
  add_list(model, "steps", {-2, 1});
  add_named(model, "Slice", {"chosen", "starts", "ends", "axes", "steps"}, "cut");
  add_list(model, "wide", {14, 3});
  add_named(model, "Expand", {"cut", "wide"}, "repeated");
  add_list(model, "pads", {0, -1, 2, 1});
  add_named(model, "Pad", {"repeated", "pads"}, "padded");
  add_named(model, "Softmax", {"padded"}, "shares");
  add_list(model, "parts", {3, 13});
  add_node(*model.mutable_graph(), "Split", {"shares", "parts"}, {"head", "tail"}).set_name("parts");
  add_result(model, "head");
  add_result(model, "tail");

  const Workload workload = read(model);
  REQUIRE(workload.pass_through.size() == 10);
  using Kind = ShapeChange::Kind;
  const auto is = [&](std::size_t node, const ShapeChange& expected) {
    CAPTURE(node);
    CHECK(workload.pass_through[node].shape_change == expected);
  };
  is(0, change(Kind::transpose, {}, {0, 2, 3, 1}, 0, 0, {1, 4, 10, 20}));
  is(1, change(Kind::reshape, {1, 800}, {}, 0, 0, {1, 10, 20, 4}));
  is(2, change(Kind::reshape, {40, 20}, {}, 0, 0, {1, 800}));
  is(3, change(Kind::gather, {40, 2}, {19, 3}, 1, 0, {40, 20}));
  is(4, change(Kind::view, {14, 1}, {-4, 1}, 0, 60, {40, 2}));
  is(5, change(Kind::view, {14, 3}, {1, 0}, 0, 0, {14, 1}));
  is(6, change(Kind::pad, {16, 3}, {0, -1}, 0, 0, {14, 3}));
  is(7, change(Kind::rows, {16, 3}, {}, 1, 0, {16, 3}));
  is(8, change(Kind::view, {3, 3}, {3, 1}, 0, 0, {16, 3}));
  is(9, change(Kind::view, {13, 3}, {3, 1}, 0, 9, {16, 3}));
  CHECK(workload.pass_through[9].name == "parts/1");
  CHECK(workload.pass_through[9].sources == workload.pass_through[8].sources);
}

TEST_CASE("operators on elements and rows are layers where the mapping file names them") {
  onnx::ModelProto model = with_image();
  add_conv(model, "image", "conv", {4, 4, 1, 1});
  add_input(model, "scale", {1, 4, 1, 1});
  add_named(model, "Mul", {"conv", "scale"}, "scaled");
  add_named(model, "Relu", {"scaled"}, "positive");
  set_integer(add_named(model, "Softmax", {"positive"}, "shares"), "axis", 3);
  set_integers(add_named(model, "ReduceMean", {"shares"}, "mean"), "axes", {2, 3});
  add_result(model, "mean");
  const auto types = [&](const MappingFile& mapping) {
    std::vector<std::string> found;
    for (const auto& layer : read(model, {}, mapping).layers) found.push_back(layer->type);
    return found;
  };
  using Types = std::vector<std::string>;
  CHECK(types(default_mapping()) == Types{"conv"});
  CHECK(types(mapping_of({{"Softmax", 2}, {"positive", 2}})) == Types{"conv", "relu", "softmax"});
  const Workload all = read(model, {}, mapping_of({{"vector", 2}}));
  REQUIRE(all.layers.size() == 5);
  CHECK(names(*all.layers[1]) == "B:1 K:4 OX:20 OY:10");
  CHECK(operand(*all.layers[1], "W").dimensions == std::vector<std::string>{"B", "K"});
  CHECK(operand(*all.layers[2], "W").precision == 0);
  CHECK(names(*all.layers[4]) == "K:4 C:200");
  CHECK(all.layers[4]->mapping.core_allocation == std::vector<std::int64_t>{2});
}

TEST_CASE("cached keys come from off chip, new ones from their layer") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {1, 4, 8});
  add_input(model, "w", {8, 8});
  add_named(model, "MatMul", {"x", "w"}, "new");
  add_input(model, "past", {1, 6, 8});
  set_integer(add_named(model, "Concat", {"past", "new"}, "keys"), "axis", 1);
  add_input(model, "q", {1, 3, 10});
  add_named(model, "MatMul", {"q", "keys"}, "context");
  add_result(model, "context");
  const Workload workload = read(model);
  REQUIRE(workload.layers.size() == 2);
  const LayerOperand keys = operand(*workload.layers[1], "W");
  CHECK(keys.sources == std::vector<std::int64_t>{1});
  CHECK(keys.offchip_elements == 48);
  CHECK(operand(*workload.layers[0], "W").offchip_elements == 0);
  std::vector<std::string> warnings;
  const ComputationNodeGraph graph = split_into_nodes(workload, {}, {}, warnings);
  // 4 x 8 new keys come from the first layer, the others and the queries from off chip.
  std::int64_t bits = 0;
  for (const int operand : graph.layers[1].constants)
    bits += graph.tensors[graph.nodes[1].tensors[operand]].bits;
  CHECK(bits == (48 + 30) * 8);
  CHECK(graph.dependencies.size() == 1);
  CHECK(graph.dependencies[0].bits == 32 * 8);
}

TEST_CASE("of the keys of an attention operator only the cached ones come from off chip") {
  onnx::ModelProto model = empty_model(23);
  for (const char* name : {"q", "k", "v"}) {
    add_input(model, std::string(name) + ".x", {1, 3, 8});
    add_input(model, std::string(name) + ".w", {8, 8});
    add_named(model, "MatMul", {std::string(name) + ".x", std::string(name) + ".w"}, name);
  }
  for (const char* name : {"past_k", "past_v"}) add_input(model, name, {1, 2, 5, 4});
  auto& attention = add_named(model, "Attention", {"q", "k", "v", "", "past_k", "past_v"}, "context");
  for (const char* name : {"q_num_heads", "kv_num_heads"}) set_integer(attention, name, 2);
  add_result(model, "context");
  const Workload workload = read(model);
  REQUIRE(workload.layers.size() == 5);
  for (const std::size_t product : {3, 4}) {
    const LayerOperand& keys = operand(*workload.layers[product], "W");
    CHECK(keys.offchip_elements == 2 * 5 * 4);
    CHECK_FALSE(keys.constant);
    REQUIRE(keys.sources.size() == 1);
    const auto& node =
        *std::find_if(workload.pass_through.begin(), workload.pass_through.end(),
                      [&](const PassThroughNode& each) { return each.id == keys.sources[0]; });
    CHECK(node.sources == std::vector<std::int64_t>{workload.layers[product - 2]->id});
  }
}

TEST_CASE("an operand in another order than its tensor waits for all of it") {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {1, 6, 8});
  add_input(model, "w", {8, 24});
  add_named(model, "MatMul", {"x", "w"}, "qkv");
  for (const char* name : {"q", "k", "v"}) add_list(model, std::string(name) + ".lengths", {8, 8, 8});
  auto& split = add_node(*model.mutable_graph(), "Split", {"qkv", "q.lengths"}, {"q", "k", "v"});
  set_integer(split, "axis", 2);
  auto& attention = add_node(*model.mutable_graph(), "MultiHeadAttention", {"q", "k", "v"}, {"context"});
  attention.set_name("attention");
  attention.set_domain("com.microsoft");
  set_integer(attention, "num_heads", 2);
  auto& domain = *model.add_opset_import();
  domain.set_domain("com.microsoft");
  domain.set_version(1);
  add_input(model, "o", {8, 8});
  add_named(model, "MatMul", {"context", "o"}, "out");
  add_result(model, "out");
  const Workload workload = read(model);
  REQUIRE(workload.layers.size() == 4);
  std::vector<std::string> waiting;
  for (const PassThroughNode& node : workload.pass_through)
    if (node.shape_change.kind == ShapeChange::Kind::all) waiting.push_back(node.name);
  CHECK(waiting == std::vector<std::string>{"attention/scores/I", "attention/scores/W",
                                            "attention/context/W", "attention/result"});
  // The scores have the same axes on both sides.
  CHECK(operand(*workload.layers[2], "I").sources == std::vector<std::int64_t>{workload.layers[1]->id});
}

TEST_CASE("a concatenation keeps where each source begins") {
  onnx::ModelProto model = with_image();
  add_conv(model, "image", "a", {3, 4, 1, 1});
  add_conv(model, "image", "b", {5, 4, 1, 1});
  add_input(model, "constant", {1, 2, 10, 20});
  set_integer(add_named(model, "Concat", {"a", "constant", "b"}, "all"), "axis", -3);
  add_conv(model, "all", "c", {4, 10, 1, 1});
  add_result(model, "c");
  for (const Rules& rules : {Rules{}, compat}) {
    const Workload workload = read(model, rules);
    REQUIRE(workload.pass_through.size() == 1);
    const PassThroughNode& concat = workload.pass_through[0];
    CHECK(concat.sources == std::vector<std::int64_t>{0, 1});
    CHECK(concat.shape_change == ShapeChange{ShapeChange::Kind::concat, {1, 10, 10, 20}, {0, 5}, 1, 0, {}});
  }
}

TEST_CASE("constants are no nodes, and what is taken by data may be any element") {
  onnx::ModelProto model = with_image();
  onnx::NodeProto& constant = add_named(model, "Constant", {}, "one");
  auto& attribute = *constant.add_attribute();
  attribute.set_name("value_int");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(1);
  add_conv(model, "image", "conv", {4, 4, 1, 1});
  set_integer(add_named(model, "Gather", {"conv", "one"}, "first"), "axis", 1);
  add_input(model, "where", {1});
  model.mutable_graph()->mutable_input(2)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::INT64);
  set_integer(add_named(model, "Gather", {"conv", "where"}, "second"), "axis", 1);
  add_result(model, "second");
  const Workload workload = read(model);
  CHECK(workload.node_order == std::vector<std::int64_t>{1, 2, 3});
  CHECK(workload.pass_through[0].shape_change.indices == std::vector<std::int64_t>{1});
  CHECK(workload.pass_through[0].shape_change.shape == std::vector<std::int64_t>{1, 10, 20});
  CHECK(workload.pass_through[1].shape_change.kind == ShapeChange::Kind::all);
}

TEST_CASE("what cannot be read is named") {
  onnx::ModelProto model = with_image();
  add_named(model, "MaxPool", {"image"}, "pool");
  add_result(model, "pool");
  CHECK(failure(model).find("node 'pool' (MaxPool): ") != std::string::npos);

  onnx::ModelProto nothing = with_image();
  add_named(nothing, "Relu", {"image"}, "positive");
  add_result(nothing, "positive");
  CHECK(failure(nothing).find("no operator that runs on a core") != std::string::npos);
}
