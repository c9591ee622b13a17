// Weights that the graph computes from constants, and experts.
#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/input/onnx/network_report.hpp"
#include "core/workload/layer.hpp"
#include "tests/unit/input/onnx/onnx_fixture.hpp"

using namespace zz::core;
using namespace zz::core::onnx_import;
using namespace zz::test;

namespace {

void put_result(onnx::ModelProto& model, const std::string& name) {
  model.mutable_graph()->add_output()->set_name(name);
}

void put_two(onnx::ModelProto& model, const std::string& name) { add_numbers(model, name, {2.0F}); }

/// Way to make the weights `name` of that shape, all but the plain ones from constants.
using Making = std::function<void(onnx::ModelProto&, const std::string&, const Shape&)>;

void make_plain(onnx::ModelProto& model, const std::string& name, const Shape& shape) {
  add_weight(model, name, ElementType::float32, shape);
}

void make_constant_node(onnx::ModelProto& model, const std::string& name, const Shape& shape) {
  onnx::NodeProto& node = put(model, "Constant", {}, name);
  auto& value = *node.add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t length : shape) value.mutable_t()->add_dims(length);
}

void make_dequantised(onnx::ModelProto& model, const std::string& name, const Shape& shape) {
  add_weight(model, name + ".q", ElementType::int8, shape);
  add_weight(model, name + ".zero", ElementType::int8, {1});
  add_weight(model, name + ".scale", ElementType::float32, {shape.back()});
  for (const char* part : {".q", ".zero"}) {
    onnx::NodeProto& cast = put(model, "Cast", {name + part}, name + part + ".wide");
    set_integer(cast, "to", 1);
  }
  put(model, "Sub", {name + ".q.wide", name + ".zero.wide"}, name + ".centred");
  put(model, "Mul", {name + ".centred", name + ".scale"}, name);
}

void make_rounded(onnx::ModelProto& model, const std::string& name, const Shape& shape) {
  add_weight(model, name + ".raw", ElementType::float32, shape);
  for (const char* part : {".scale", ".low", ".high"}) put_two(model, name + part);
  put(model, "Div", {name + ".raw", name + ".scale"}, name + ".steps");
  put(model, "Round", {name + ".steps"}, name + ".whole");
  put(model, "Clip", {name + ".whole", name + ".low", name + ".high"}, name + ".held");
  put(model, "Mul", {name + ".scale", name + ".held"}, name);
}

void make_adapted(onnx::ModelProto& model, const std::string& name, const Shape& shape) {
  add_weight(model, name + ".base", ElementType::float32, shape);
  add_weight(model, name + ".down", ElementType::float32, {shape[0], 2});
  add_weight(model, name + ".up", ElementType::float32, {2, shape[1]});
  put(model, "MatMul", {name + ".down", name + ".up"}, name + ".change");
  put(model, "Add", {name + ".base", name + ".change"}, name);
}

void make_factored(onnx::ModelProto& model, const std::string& name, const Shape& shape) {
  add_weight(model, name + ".down", ElementType::float32, {shape[0], 2});
  add_weight(model, name + ".up", ElementType::float32, {2, shape[1]});
  put(model, "MatMul", {name + ".down", name + ".up"}, name);
}

/// Two products with Relu between, and a cache of fixed length that the second reads.
onnx::ModelProto two_products(const Making& make) {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {4, 6});
  add_typed_input(model, "past_key", ElementType::float32, {1, 3, 10});
  make(model, "first", {6, 8});
  make(model, "second", {8, 10});
  put(model, "MatMul", {"x", "first"}, "a");
  put(model, "Relu", {"a"}, "b");
  put(model, "MatMul", {"b", "second"}, "y");
  put(model, "Concat", {"past_key", "past_key"}, "present_key");
  set_integer(*model.mutable_graph()->mutable_node()->rbegin(), "axis", 1);
  for (const char* name : {"y", "present_key"}) put_result(model, name);
  return model;
}

std::vector<std::string> tensor_names(const Network& network, const std::vector<std::int64_t>& indices) {
  std::vector<std::string> names;
  for (const std::int64_t index : indices)
    names.push_back(network.tensors[static_cast<std::size_t>(index)].name);
  return names;
}

/// The layers and the sources of their data.
std::vector<std::string> layer_texts(const Workload& workload) {
  // The ids are those of nodes, of which networks with computed weights have more.
  const auto place = [&](std::int64_t id) {
    for (std::size_t i = 0; i < workload.layers.size(); ++i)
      if (workload.layers[i]->id == id) return std::to_string(i);
    return std::string("outside");
  };
  std::vector<std::string> lines;
  for (const auto& layer : workload.layers) {
    std::string line = layer->equation;
    for (const LoopDimension& loop : layer->loops) line += " " + loop.name + std::to_string(loop.size);
    for (const LayerOperand& operand : layer->operands) {
      line += " " + operand.name + (operand.constant ? " constant" : "");
      for (const std::int64_t source : operand.sources) line += " from " + place(source);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

TEST_CASE("computed weights: networks that differ in how weights are written agree") {
  const onnx::ModelProto plain = two_products(make_plain);
  const Network expected = evaluated(plain);
  REQUIRE(tensor_names(expected, expected.inputs) == std::vector<std::string>{"x", "past_key"});
  REQUIRE(parameter_count(expected) == 6 * 8 + 8 * 10);
  const std::vector<std::pair<std::string, Making>> makings = {{"constant node", make_constant_node},
                                                               {"dequantised", make_dequantised},
                                                               {"rounded", make_rounded},
                                                               {"adapted", make_adapted},
                                                               {"factored", make_factored}};
  for (const auto& [twin, make] : makings) {
    const std::string& name = twin;
    CAPTURE(name);
    const onnx::ModelProto model = two_products(make);
    const Network network = evaluated(model);
    CHECK(tensor_names(network, network.inputs) == tensor_names(expected, expected.inputs));
    for (const char* weights : {"first", "second"}) CHECK(tensor(network, weights).constant);
    for (const char* data : {"a", "b", "y"}) CHECK_FALSE(tensor(network, data).constant);
    CHECK(parameter_count(network) == parameter_count(expected));
    REQUIRE(kv_cache(network));
    CHECK(kv_cache(network)->bytes_before == kv_cache(expected)->bytes_before);
    CHECK(kv_cache(network)->bytes_after == kv_cache(expected)->bytes_after);
    CHECK(all_macs(network) == all_macs(expected));
    CHECK(layer_texts(read_model(model, {})) == layer_texts(read_model(plain, {})));
  }
}

TEST_CASE("computed weights: a matrix on the left, and one within a function, are the file's own") {
  onnx::ModelProto left = empty_model(17);
  add_typed_input(left, "x", ElementType::float32, {6, 4});
  add_typed_input(left, "mask", ElementType::float32, {4});
  make_dequantised(left, "w", {8, 6});
  put(left, "MatMul", {"w", "x"}, "a");
  put(left, "Mul", {"a", "mask"}, "y");
  CHECK(evaluated(left).inputs.size() == 2);

  onnx::ModelProto call = empty_model(17);
  call.set_ir_version(8);
  auto& function = *call.add_functions();
  function.set_domain("own");
  function.set_name("Linear");
  function.add_input("data");
  function.add_input("matrix");
  function.add_output("result");
  auto& version = *function.add_opset_import();
  version.set_domain("");
  version.set_version(17);
  auto& inner = *function.add_node();
  inner.set_op_type("MatMul");
  inner.add_input("data");
  inner.add_input("matrix");
  inner.add_output("result");
  auto& own = *call.add_opset_import();
  own.set_domain("own");
  own.set_version(1);
  add_typed_input(call, "x", ElementType::float32, {4, 6});
  add_typed_input(call, "mask", ElementType::float32, {8});
  make_rounded(call, "w", {6, 8});
  put(call, "Linear", {"x", "w"}, "a").set_domain("own");
  put(call, "Mul", {"a", "mask"}, "y");
  CHECK(evaluated(call).inputs.size() == 2);
}

TEST_CASE("computed weights: a network of constants alone is refused") {
  onnx::ModelProto model = empty_model(17);
  make_plain(model, "a", {4, 6});
  make_plain(model, "b", {6, 8});
  put(model, "MatMul", {"a", "b"}, "y");
  put_result(model, "y");
  CHECK(failure_of(model, {}).find("all results of the network are constant") != std::string::npos);
}

TEST_CASE("computed weights: what lengths of inputs decide is multiplied in each run") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {4, 6});
  make_plain(model, "w", {6, 8});
  make_plain(model, "frequencies", {1, 6});
  // Places in the sequence, times a matrix.
  put(model, "Shape", {"x"}, "lengths");
  put(model, "ConstantOfShape", {"lengths"}, "places");
  put(model, "Mul", {"places", "frequencies"}, "table");
  put(model, "MatMul", {"table", "w"}, "turned");
  put(model, "MatMul", {"x", "w"}, "a");
  put(model, "Add", {"a", "turned"}, "y");
  put_result(model, "y");
  CHECK(all_macs(evaluated(model)) == 2 * 4 * 6 * 8);
  CHECK(parameter_count(evaluated(model)) == 6 * 8 + 6);
}

TEST_CASE("computed weights: they have the bits in which the file keeps them") {
  using Computed = std::function<void(onnx::ModelProto&)>;
  const auto bits = [](ElementType type, const Computed& make) {
    onnx::ModelProto model = empty_model(17);
    add_typed_input(model, "x", ElementType::float32, {4, 6});
    add_weight(model, "q", type, {6, 8});
    for (const char* name : {"scale", "zero"}) add_weight(model, name, ElementType::float32, {8});
    put_cast(model, "q", "wide");
    make(model);
    put(model, "MatMul", {"x", "w"}, "y");
    const Workload workload = read_model(model, {});
    REQUIRE(workload.layers.size() == 1);
    const Layer& layer = *workload.layers[0];
    const auto found = layer.operands[static_cast<std::size_t>(layer.operand_index("W"))].precision;
    // The bits of an array take the place of real numbers, also of widened ones.
    const auto& assumed = layer.assumed_precision;
    CHECK((std::find(assumed.begin(), assumed.end(), "W") != assumed.end()) == (found >= 16));
    CHECK(parameter_count(evaluated(model)) == 6 * 8);
    return found;
  };
  const std::vector<Computed> all = {[](auto& model) { put(model, "Identity", {"wide"}, "w"); },
                                     [](auto& model) {
                                       put(model, "CastLike", {"q", "x"}, "w");
                                     },
                                     [](auto& model) {
                                       put(model, "Mul", {"scale", "wide"}, "w");
                                     },
                                     [](auto& model) {
                                       put(model, "Div", {"wide", "scale"}, "w");
                                     },
                                     [](auto& model) {
                                       // One scale for each row, repeated for all of its elements.
                                       add_weight(model, "column", ElementType::float32, {6, 1});
                                       auto& shape = *model.mutable_graph()->add_initializer();
                                       shape.set_name("shape");
                                       shape.set_data_type(onnx::TensorProto::INT64);
                                       shape.add_dims(2);
                                       for (const int length : {6, 8}) shape.add_int64_data(length);
                                       put(model, "Expand", {"column", "shape"}, "repeated");
                                       put(model, "Mul", {"repeated", "wide"}, "w");
                                     },
                                     [](auto& model) {
                                       put(model, "Neg", {"wide"}, "less");
                                       put(model, "Mul", {"less", "scale"}, "w");
                                     },
                                     [](auto& model) {
                                       put(model, "Sub", {"wide", "zero"}, "centred");
                                       put(model, "Mul", {"centred", "scale"}, "w");
                                     },
                                     [](auto& model) {
                                       put(model, "Mul", {"wide", "scale"}, "scaled");
                                       put(model, "Add", {"scaled", "zero"}, "w");
                                     }};
  for (const Computed& make : all) {
    CHECK(bits(ElementType::int8, make) == 8);
    CHECK(bits(ElementType::int4, make) == 4);
    CHECK(bits(ElementType::float16, make) == 16);
  }
  // A merged adapter has as many elements as what it is added to.
  CHECK(bits(ElementType::int8, [](auto& model) {
          make_factored(model, "change", {6, 8});
          put(model, "Add", {"wide", "change"}, "w");
        }) == 32);
}

namespace {

/// Bits of what a product reads behind `between`, which hands on 4 bits of Quant.
std::int64_t bits_behind(const std::function<void(onnx::ModelProto&)>& between, bool dequantised) {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", dequantised ? ElementType::int8 : ElementType::float32, {1, 2, 4, 4});
  for (const char* name : {"scale", "zero"}) put_two(model, name);
  add_numbers(model, "four", {4.0F});
  add_numbers(model, "factors", {1, 1, 2, 2}, {4});
  if (dequantised)
    put(model, "DequantizeLinear", {"x", "scale"}, "q");
  else
    put(model, "Quant", {"x", "scale", "zero", "four"}, "q").set_domain("qonnx.custom_op.general");
  between(model);
  add_weight(model, "w", ElementType::float32, {3, 2, 1, 1});
  put(model, "Conv", {"z", "w"}, "y");
  return tensor(evaluated(model), "z").stored_bits;
}

}  // namespace

TEST_CASE("quantised network: what copies or selects elements keeps their bits") {
  using Between = std::function<void(onnx::ModelProto&)>;
  const auto with = [](const std::string& type, std::vector<std::string> inputs) -> Between {
    return [=](onnx::ModelProto& model) { put(model, type, inputs, "z"); };
  };
  const auto resized = [](const std::string& mode) -> Between {
    return [=](onnx::ModelProto& model) {
      set_text(put(model, "Resize", {"q", "", "factors"}, "z"), "mode", mode);
    };
  };
  const auto reduced = [](const std::string& type) -> Between {
    return [=](onnx::ModelProto& model) { set_integers(put(model, type, {"q"}, "z"), "axes", {2}); };
  };
  const std::vector<std::pair<std::string, Between>> keeping = {
      {"Resize", resized("nearest")},
      {"Relu", with("Relu", {"q"})},
      {"Dropout", with("Dropout", {"q"})},
      {"Clip", with("Clip", {"q", "zero", "scale"})},
      {"Max", with("Max", {"zero", "q"})},
      {"Min", with("Min", {"q", "q"})},
      {"ReduceMax", reduced("ReduceMax")},
      {"ReduceMin", reduced("ReduceMin")},
      {"Trilu", with("Trilu", {"q"})},
      {"Cast",
       [](onnx::ModelProto& model) {
         set_integer(put(model, "Cast", {"q"}, "h"), "to", onnx::TensorProto::FLOAT16);
         set_integer(put(model, "Cast", {"h"}, "z"), "to", onnx::TensorProto::FLOAT);
       }},
      {"Concat",
       [](onnx::ModelProto& model) {
         set_integer(put(model, "Concat", {"q", "q"}, "z"), "axis", 2);
       }},
      {"zeros beside",
       [](onnx::ModelProto& model) {
         auto& shape = *model.mutable_graph()->add_initializer();
         shape.set_name("shape");
         shape.set_data_type(onnx::TensorProto::INT64);
         shape.add_dims(4);
         for (const int length : {1, 2, 4, 4}) shape.add_int64_data(length);
         put(model, "ConstantOfShape", {"shape"}, "zeros");
         set_integer(put(model, "Concat", {"zeros", "q"}, "z"), "axis", 2);
       }},
      {"Where",
       [](onnx::ModelProto& model) {
         put(model, "Less", {"q", "zero"}, "low");
         put(model, "Where", {"low", "q", "q"}, "z");
       }},
      {"TopK", [](onnx::ModelProto& model) {
         add_weight(model, "k", ElementType::int64, {1});
         add_node(*model.mutable_graph(), "TopK", {"q", "k"}, {"z", "places"});
       }}};
  for (const bool dequantised : {false, true}) {
    const std::int64_t narrow = dequantised ? 8 : 4;
    for (const auto& [operators, between] : keeping) {
      const std::string& name = operators;
      CAPTURE(name);
      CHECK(bits_behind(between, dequantised) == narrow);
    }
    // Between pixels stand others, and what is not rounded is as wide as its type.
    CHECK(bits_behind(resized("linear"), dequantised) == 32);
    CHECK(bits_behind(with("Add", {"q", "scale"}), dequantised) == 32);
    CHECK(bits_behind(
              [](onnx::ModelProto& model) {
                add_weight(model, "wide", ElementType::float32, {1, 2, 4, 4});
                put(model, "Max", {"q", "wide"}, "z");
              },
              dequantised) == 32);
  }
}

TEST_CASE("computed weights: words that arithmetic takes apart hold several weights") {
  // Two of four bits in each byte of 3 x 8, by shifts and a mask, or by divisions.
  for (const bool by_shift : {true, false}) {
    CAPTURE(by_shift);
    onnx::ModelProto model = empty_model(18);
    add_typed_input(model, "x", ElementType::float32, {4, 6});
    add_weight(model, "words", ElementType::uint8, {3, 8});
    add_weight(model, "scale", ElementType::float32, {8});
    const auto add_byte = [&](const std::string& name, int value) {
      auto& byte = *model.mutable_graph()->add_initializer();
      byte.set_name(name);
      byte.set_data_type(onnx::TensorProto::UINT8);
      byte.add_int32_data(value);
    };
    if (by_shift) {
      add_byte("distance", 4);
      add_byte("mask", 15);
      put(model, "BitwiseAnd", {"words", "mask"}, "low");
      set_text(put(model, "BitShift", {"words", "distance"}, "high"), "direction", "RIGHT");
    } else {
      add_byte("base", 16);
      put(model, "Mod", {"words", "base"}, "low");
      put(model, "Div", {"words", "base"}, "high");
    }
    set_integer(put(model, "Concat", {"low", "high"}, "bytes"), "axis", 0);
    put_cast(model, "bytes", "wide");
    put(model, "Mul", {"wide", "scale"}, "w");
    put(model, "MatMul", {"x", "w"}, "y");
    const Network network = evaluated(model);
    CHECK(tensor(network, "w").stored_bits == 4);
    CHECK(parameter_count(network) == 6 * 8);
    CHECK(parameter_bytes(network) == 3 * 8);
  }
}

TEST_CASE("experts: the shapes of both matrices say which layout they have") {
  const auto macs = [](const Shape& first, const Shape& second) {
    onnx::ModelProto model = empty_model(17);
    add_typed_input(model, "x", ElementType::float32, {5, 8});
    add_typed_input(model, "router", ElementType::float32, {5, 4});
    add_weight(model, "first", ElementType::float32, first);
    add_weight(model, "second", ElementType::float32, second);
    onnx::NodeProto& node = put(model, "MoE", {"x", "router", "first", "", "second"}, "y");
    node.set_domain("com.microsoft");
    set_integer(node, "k", 2);
    put_result(model, "y");
    const std::string failure = failure_of(model, {});
    return failure.empty() ? std::to_string(all_macs(evaluated(model))) : failure;
  };
  const std::string expected = std::to_string(2 * 5 * 2 * 8 * 12);
  CHECK(macs({4, 12, 8}, {4, 8, 12}) == expected);
  CHECK(macs({4, 8, 12}, {4, 12, 8}) == expected);
  // A gate in the first matrix: twice its columns.
  const std::string gated = std::to_string(3 * 5 * 2 * 8 * 12);
  CHECK(macs({4, 24, 8}, {4, 8, 12}) == gated);
  CHECK(macs({4, 8, 24}, {4, 12, 8}) == gated);
  CHECK(macs({4, 8, 12}, {4, 8, 12}).find("4x8x12") != std::string::npos);
}

TEST_CASE("experts: weights of few bits share bytes") {
  for (const std::int64_t bits : {2, 4, 8}) {
    CAPTURE(bits);
    for (const bool turned : {false, true}) {
      onnx::ModelProto model = empty_model(17);
      add_typed_input(model, "x", ElementType::float32, {5, 8});
      add_typed_input(model, "router", ElementType::float32, {5, 4});
      const auto packed = [&](std::int64_t rows, std::int64_t columns) {
        return Shape{4, turned ? columns : rows, (turned ? rows : columns) * bits / 8};
      };
      add_weight(model, "first", ElementType::uint8, packed(12, 8));
      add_weight(model, "second", ElementType::uint8, packed(8, 12));
      add_weight(model, "scale1", ElementType::float32, {4, 12});
      add_weight(model, "scale2", ElementType::float32, {4, 8});
      onnx::NodeProto& node =
          put(model, "QMoE", {"x", "router", "first", "scale1", "", "second", "scale2"}, "y");
      node.set_domain("com.microsoft");
      set_integer(node, "k", 2);
      set_integer(node, "expert_weight_bits", bits);
      put_result(model, "y");
      const Network network = evaluated(model);
      CHECK(all_macs(network) == 2 * 5 * 2 * 8 * 12);
      CHECK(parameter_count(network) == 2 * 4 * 8 * 12);
      CHECK(parameter_bytes(network) == 2 * 4 * 8 * 12 * bits / 8);
    }
  }
}
