#include "core/input/onnx/layer_splitting.hpp"

#include <doctest/doctest.h>
#include <numeric>

#include "core/input/onnx/detail/onnx_model.hpp"
#include "core/input/onnx/workload.hpp"
#include "tests/unit/input/onnx/onnx_fixture.hpp"
#include "tests/unit/worlds/accelerators.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

const OnnxSettings split_in_bytes{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}, {}};

/// One core whose weight memory holds 512 bytes, and an off-chip memory.
MultiCoreAccelerator small_core_and_memory() { return cores_with_memories({512 * 8, 1 << 30}); }

onnx::TensorProto& add_weights(onnx::GraphProto& graph, const std::string& name,
                               const std::vector<std::int64_t>& shape) {
  onnx::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::UINT8);
  std::size_t elements = 1;
  for (const std::int64_t length : shape) {
    tensor.add_dims(length);
    elements *= static_cast<std::size_t>(length);
  }
  std::string bytes(elements, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  tensor.set_raw_data(bytes);
  return tensor;
}

/// A convolution of 24 * 8 * 9 = 1728 weights with bias, an activation, a mean, and a product of 24 * 40 =
/// 960 weights that is listed as an input.
onnx::ModelProto small_network() {
  onnx::ModelProto model = empty_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_input(model, "image", {1, 8, 6, 6});
  add_weights(graph, "w", {24, 8, 3, 3});
  add_weights(graph, "b", {24});
  onnx::NodeProto& conv = add_node(graph, "Conv", {"image", "w", "b"}, {"features"});
  conv.set_name("conv");
  set_integers(conv, "kernel_shape", {3, 3});
  add_node(graph, "Relu", {"features"}, {"positive"}).set_name("relu");
  add_node(graph, "GlobalAveragePool", {"positive"}, {"mean"}).set_name("mean");
  add_node(graph, "Flatten", {"mean"}, {"flat"}).set_name("flat");
  add_input(model, "v", {24, 40});
  add_node(graph, "MatMul", {"flat", "v"}, {"result"}).set_name("product");
  auto& result = *graph.add_output();
  result.set_name("result");
  result.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  return model;
}

struct Totals {
  std::int64_t macs = 0, weight_bits = 0;
};

Totals totals_of(const Workload& workload) {
  Totals totals;
  for (const auto& layer : workload.layers) {
    totals.macs += layer->mac_count();
    totals.weight_bits += layer->operand_bits(layer->operand_index("W"), {});
  }
  return totals;
}

}  // namespace

TEST_CASE("layers whose weights do not fit are split, and the network stays the same") {
  const TemporaryFile original(small_network().SerializeAsString());
  const TemporaryFile split("");
  Diagnostics diagnostics;
  const Workload before =
      read_stream_onnx(original.path(), default_mapping(), {}, diagnostics, split_in_bytes);
  const std::vector<SplitLayer> layers = layers_to_split(before, small_core_and_memory(), 1);
  CHECK(layers == std::vector<SplitLayer>{{"conv", 4, 0}, {"product", 2, 4}});
  CHECK(layers_to_split(before, small_core_and_memory(), 0.5) ==
        std::vector<SplitLayer>{{"conv", 8, 0}, {"product", 4, 4}});
  CHECK(layers_to_split(before, small_core_and_memory(), 4).empty());

  write_split_model(original.path(), layers, split.path(), diagnostics);
  const Workload after = read_stream_onnx(split.path(), default_mapping(), {}, diagnostics, split_in_bytes);
  CHECK(diagnostics.all().empty());
  REQUIRE(after.layers.size() == 4 + 1 + 2);
  CHECK(after.layers[0]->name == "conv_0");
  CHECK(after.layers[3]->name == "conv_3");
  CHECK(after.layers[6]->name == "product_1");
  CHECK(after.layers[0]->loop_size("K") == 6);
  CHECK(totals_of(after).macs == totals_of(before).macs);
  CHECK(totals_of(after).weight_bits == totals_of(before).weight_bits);
  CHECK(layers_to_split(after, small_core_and_memory(), 1).empty());

  const PassThroughNode& concat = after.pass_through[0];
  CHECK(concat.name == "conv_concat");
  CHECK(concat.sources == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(concat.shape_change == ShapeChange{ShapeChange::Kind::concat, {1, 24, 4, 4}, {0, 6, 12, 18}, 1});
  CHECK(after.pass_through[1].sources == std::vector<std::int64_t>{concat.id});
}

TEST_CASE("pieces of the weights hold their part of the data") {
  const TemporaryFile original(small_network().SerializeAsString());
  const TemporaryFile split("");
  Diagnostics diagnostics;
  write_split_model(original.path(), {{"conv", 4}, {"product", 2}}, split.path(), diagnostics);
  const auto model = onnx_import::load_model(split.path(), diagnostics);
  std::string weights, bias;
  for (const auto& tensor : model.graph().initializer()) {
    if (tensor.name().rfind("w_split_", 0) == 0) weights += tensor.raw_data();
    if (tensor.name().rfind("b_split_", 0) == 0) bias += tensor.raw_data();
    CHECK(tensor.name() != "w");
  }
  CHECK(weights == small_network().graph().initializer(0).raw_data());
  CHECK(bias == small_network().graph().initializer(1).raw_data());
}

TEST_CASE("what cannot be split is named") {
  onnx::ModelProto model = small_network();
  set_integer(*model.mutable_graph()->mutable_node(0), "group", 2);
  model.mutable_graph()->mutable_initializer(0)->set_dims(1, 4);
  const TemporaryFile original(model.SerializeAsString());
  const TemporaryFile split("untouched");
  Diagnostics diagnostics;
  const auto message = [&](const std::vector<SplitLayer>& layers) -> std::string {
    Diagnostics unused;
    try {
      write_split_model(original.path(), layers, split.path(), unused);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message({{"conv", 4}})
            .find("node 'conv' (Conv) cannot be split into 4 layers: its channels are in") !=
        std::string::npos);
  CHECK(message({{"relu", 2}}).find("node 'relu' (Relu) cannot be split") != std::string::npos);
  CHECK(message({{"Loop_1/conv", 2}}).find("'Loop_1/conv' cannot be split into 2 layers: it is no node") !=
        std::string::npos);
  CHECK(message({{"product", 3}}).find("its 40 output channels are no multiple") != std::string::npos);
}
