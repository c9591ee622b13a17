#include "core/input/onnx/network.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "tests/unit/input/onnx/onnx_fixture.hpp"

using namespace zz::core;
using namespace zz::core::onnx_import;
using namespace zz::test;

namespace {

void add_integers(onnx::ModelProto& model, const std::string& name,
                  const std::vector<std::int64_t>& values) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) tensor.add_int64_data(value);
}

onnx::NodeProto& add(onnx::ModelProto& model, const std::string& type,
                     const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  return add_node(*model.mutable_graph(), type, inputs, outputs);
}

std::string failure(const onnx::ModelProto& model, const Dimensions& dimensions = {},
                    const InputValues& values = {}) {
  try {
    evaluated(model, dimensions, values);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("network: open lengths are listed with their inputs, and given by name or by axis") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {0, 4});
  add_typed_input(model, "y", ElementType::float32, {0, 4});
  add(model, "Add", {"x", "y"}, {"sum"});
  CHECK(contains(failure(model), "'axis0' (axis 0 of input 'x', axis 0 of input 'y')"));
  CHECK(tensor(evaluated(model, {{"axis0", 3}}), "sum").shape == Shape{3, 4});
  CHECK(tensor(evaluated(model, {{"x:0", 1}, {"y:0", 5}}), "sum").shape == Shape{5, 4});
  CHECK(tensor(evaluated(model, {{"axis0", 0}}), "sum").shape == Shape{0, 4});
  CHECK(contains(failure(model, {{"axis0", 3}, {"axiz0", 3}}), "did you mean 'axis0'"));
}

TEST_CASE("network: shapes that are computed from shapes are known") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {2, 6, 4});
  add_integers(model, "one", {1});
  add_integers(model, "rest", {-1});
  add(model, "Shape", {"x"}, {"lengths"});
  add(model, "Gather", {"lengths", "one"}, {"middle"});
  add(model, "Concat", {"rest", "middle"}, {"target"});
  set_integer(*model.mutable_graph()->mutable_node(2), "axis", 0);
  add(model, "Reshape", {"x", "target"}, {"y"});
  const Network network = evaluated(model);
  CHECK(tensor(network, "y").shape == Shape{8, 6});
  CHECK(tensor(network, "target").constant);
  CHECK_FALSE(tensor(network, "y").constant);
}

TEST_CASE("network: nodes may stand in any order, but not in a circle") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {2});
  add(model, "Relu", {"a"}, {"b"});
  add(model, "Neg", {"x"}, {"a"});
  CHECK(tensor(evaluated(model), "b").shape == Shape{2});
  model.mutable_graph()->mutable_node(1)->set_input(0, "b");
  CHECK(contains(failure(model), "waits for its own result"));
}

TEST_CASE("network: weights stay constants, and keep the bits in which they are stored") {
  onnx::ModelProto model = empty_model(21);
  add_typed_input(model, "x", ElementType::float32, {3, 8});
  add_weight(model, "w", ElementType::int4, {5, 8});
  add_weight(model, "scale", ElementType::float32, {5, 1});
  add(model, "DequantizeLinear", {"w", "scale"}, {"real"});
  add(model, "Transpose", {"real"}, {"turned"});
  add(model, "MatMul", {"x", "turned"}, {"y"});
  const Network network = evaluated(model);
  CHECK(tensor(network, "turned").constant);
  CHECK(tensor(network, "turned").stored_bits == 4);
  CHECK(all_macs(network) == 3 * 8 * 5);

  const Workload workload = read_model(model, {});
  const Layer& layer = *workload.layers.at(0);
  CHECK(layer.operands[static_cast<std::size_t>(layer.operand_index("W"))].precision == 4);
  CHECK(layer.operands[static_cast<std::size_t>(layer.operand_index("W"))].constant);
  CHECK(layer.operands[static_cast<std::size_t>(layer.operand_index("I"))].precision == 32);
  // The file says the bits of the weights, and only a type those of the floats.
  CHECK(layer.assumed_precision == std::vector<std::string>{"O", "I", "O_final"});
  OnnxSettings narrow;
  narrow.operand_precision = {{"I", 8}, {"O", 16}};
  const Workload other = read_model(model, {}, nullptr, narrow);
  CHECK(other.layers.at(0)->operands[0].precision == 16);
  CHECK(other.layers.at(0)->assumed_precision == std::vector<std::string>{"O_final"});
}

TEST_CASE("network: of an If the branch of a known condition runs, of an unknown one the larger") {
  const auto branch = [](onnx::NodeProto& node, const std::string& name, const std::string& type,
                         const std::vector<std::string>& inputs) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    add_node(*attribute.mutable_g(), type, inputs, {name + "_result"}).set_name(name + "_node");
    attribute.mutable_g()->add_output()->set_name(name + "_result");
  };
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {4, 4});
  add_typed_input(model, "condition", ElementType::boolean, {1});
  onnx::NodeProto& choice = add(model, "If", {"condition"}, {"y"});
  branch(choice, "then_branch", "Relu", {"x"});
  branch(choice, "else_branch", "MatMul", {"x", "x"});
  CHECK(all_macs(evaluated(model)) == 64);
  CHECK(all_macs(evaluated(model, {}, {{"condition", std::vector<std::int64_t>{1}}})) == 0);
  CHECK(all_macs(evaluated(model, {}, {{"condition", std::vector<std::int64_t>{0}}})) == 64);

  add_typed_input(model, "z", ElementType::float32, {4});
  add(model, "Size", {"z"}, {"size"});
  add_integers(model, "four", {4});
  add(model, "Equal", {"size", "four"}, {"known"});
  model.mutable_graph()->mutable_node(0)->set_input(0, "known");
  CHECK(all_macs(evaluated(model)) == 0);
}

TEST_CASE("network: what an input is must fit its type and shape, and the input must be there") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "rate", ElementType::int64, {});
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  add_typed_input(model, "scale", ElementType::float32, {2});
  add_weight(model, "w", ElementType::float32, {2});
  add(model, "Mul", {"scale", "scale"}, {"square"});
  add(model, "Range", {"zero", "rate", "one"}, {"positions"});
  for (const char* const name : {"zero", "one"}) {
    add_integers(model, name, {name == std::string("one") ? 1 : 0});
    model.mutable_graph()->mutable_initializer(model.graph().initializer_size() - 1)->clear_dims();
  }
  using Integers = std::vector<std::int64_t>;
  using Numbers = std::vector<double>;
  const Network network = evaluated(model, {}, {{"rate", Integers{3}}, {"scale", Integers{4, 5}}});
  CHECK(tensor(network, "positions").shape == Shape{3});
  CHECK(std::get<Numbers>(*tensor(network, "scale").values) == Numbers{4, 5});
  const auto problem = [&](const InputValues& values) { return failure(model, {}, values); };
  CHECK(
      contains(problem({{"rat", Integers{3}}}), "the network has no input 'rat' that could have a value"));
  CHECK(contains(problem({{"rat", Integers{3}}}), "did you mean 'rate'"));
  CHECK(contains(problem({{"w", Integers{3, 3}}}), "the network has no input 'w'"));
  CHECK(contains(problem({{"rate", Numbers{0.5}}}),
                 "the value of input 'rate' is no whole number, but its type is int64"));
  CHECK(contains(problem({{"rate", Integers{1, 2}}}), "has 2 elements, but its shape of no axes has 1"));
  CHECK(contains(problem({{"scale", Numbers{1, 2, 3}}}), "has 3 elements, but its shape 2 has 2"));
}

TEST_CASE("network: every iteration of a loop runs, with its own shapes") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {2, 3});
  add_integers(model, "trips", {3});
  onnx::NodeProto& loop = add(model, "Loop", {"trips", "", "x"}, {"last", "all"});
  loop.set_name("loop");
  onnx::AttributeProto& attribute = *loop.add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& body = *attribute.mutable_g();
  for (const char* name : {"i", "go", "state"}) body.add_input()->set_name(name);
  add_node(body, "Concat", {"state", "x"}, {"longer"}).set_name("join");
  set_integer(*body.mutable_node(0), "axis", 0);
  add_node(body, "Transpose", {"x"}, {"turned"});
  add_node(body, "MatMul", {"longer", "turned"}, {"product"}).set_name("product");
  add_node(body, "ReduceSum", {"product"}, {"sum"});
  for (const char* name : {"go", "longer", "sum"}) body.add_output()->set_name(name);
  const Network network = evaluated(model);
  CHECK(all_macs(network) == (4 + 6 + 8) * 3 * 2);
  CHECK(tensor(network, "all").shape == Shape{3, 1, 1});
  CHECK(std::count_if(network.nodes.begin(), network.nodes.end(),
                      [](const NetworkNode& node) { return node.name == "loop/product#2"; }) == 1);

  add_typed_input(model, "count", ElementType::int64, {1});
  model.mutable_graph()->mutable_node(0)->set_input(0, "count");
  CHECK(contains(failure(model), "\"loop:trips\": NUMBER"));
  CHECK(all_macs(evaluated(model, {{"loop:trips", 1}})) == 4 * 3 * 2);
}

TEST_CASE("network: the products of transposed convolutions are those of their inputs") {
  for (const std::int64_t stride : {1, 2, 3}) {
    for (const std::int64_t kernel : {1, 2, 3, 4, 5}) {
      CAPTURE(stride);
      CAPTURE(kernel);
      onnx::ModelProto model = empty_model(17);
      add_typed_input(model, "x", ElementType::float32, {1, 4, 5, 7});
      add_weight(model, "w", ElementType::float32, {4, 3, kernel, kernel});
      set_integers(add(model, "ConvTranspose", {"x", "w"}, {"y"}), "strides", {stride, stride});
      const Network network = evaluated(model);
      CHECK(all_macs(network) == 4 * 5 * 7 * 3 * kernel * kernel);
      CHECK(tensor(network, "y").shape == Shape{1, 3, 4 * stride + kernel, 6 * stride + kernel});
    }
  }
}

TEST_CASE("network: keys and values are read once for all query heads that share them") {
  onnx::ModelProto model = empty_model(23);
  add_typed_input(model, "q", ElementType::float16, {1, 8, 5, 16});
  add_typed_input(model, "k", ElementType::float16, {1, 2, 9, 16});
  add_typed_input(model, "v", ElementType::float16, {1, 2, 9, 32});
  add(model, "Attention", {"q", "k", "v"}, {"y"});
  const Network network = evaluated(model);
  CHECK(tensor(network, "y").shape == Shape{1, 8, 5, 32});
  const auto products = network.nodes.at(0).known->products(network.view(network.nodes.at(0)));
  REQUIRE(products.size() == 2);
  CHECK(mac_count(products[0]) == 8 * 5 * 9 * 16);
  CHECK(mac_count(products[1]) == 8 * 5 * 9 * 32);
  std::int64_t keys = 1;
  for (const LoopDimension& loop : products[0].loops)
    for (const std::string& dimension : products[0].weight.dimensions)
      if (dimension == loop.name) keys *= loop.size;
  CHECK(keys == 2 * 9 * 16);
}

TEST_CASE("network: rows that depend on data are asked for where they matter") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {6});
  add_typed_input(model, "table", ElementType::float32, {6, 4});
  add_typed_input(model, "w", ElementType::float32, {4, 8});
  add(model, "NonZero", {"x"}, {"places"});
  add(model, "Squeeze", {"places"}, {"rows"});
  add_integers(model, "zero", {0});
  model.mutable_graph()->mutable_node(1)->add_input("zero");
  add(model, "Gather", {"table", "rows"}, {"chosen"});
  add(model, "MatMul", {"chosen", "w"}, {"y"});
  CHECK(failure(model) == "");
  CHECK(contains(failure_of(model, {}), "known at run time only"));
  OnnxSettings settings;
  settings.dimensions = {{"places:1", 3}};
  CHECK(failure_of(model, {}, settings) == "");
  CHECK(all_macs(evaluated(model, settings.dimensions)) == 3 * 4 * 8);
}

TEST_CASE("network: what gives many lengths is asked for once, where they begin") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {6, 4});
  add_typed_input(model, "mask", ElementType::float32, {6});
  add_weight(model, "w", ElementType::float32, {4, 4});
  add_integers(model, "zero", {0});
  add_integers(model, "width", {4});
  add(model, "NonZero", {"mask"}, {"places"});
  add(model, "Squeeze", {"places", "zero"}, {"rows"});
  add(model, "Gather", {"x", "rows"}, {"a"});
  add(model, "MatMul", {"a", "w"}, {"b"});
  // Lengths go by elements, too.
  add(model, "Shape", {"b"}, {"lengths"});
  add(model, "Concat", {"lengths", "width"}, {"longer"});
  set_integer(*model.mutable_graph()->mutable_node(5), "axis", 0);
  add(model, "Expand", {"b", "longer"}, {"c"});
  add(model, "MatMul", {"c", "w"}, {"d"});
  const std::string text = failure_of(model, {});
  CHECK(contains(text, "\"places:1\": LENGTH"));
  CHECK(contains(text, "1 more node fails for the same reason"));
  CHECK_FALSE(contains(text, "\"c:"));
}

TEST_CASE("network: behind an unknown operator it is the cause, wherever lengths come from it") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {6, 4});
  add_weight(model, "w", ElementType::float32, {4, 4});
  add_integers(model, "width", {4});
  add(model, "Special", {"x"}, {"y"}).set_domain("org.example");
  add(model, "Shape", {"y"}, {"lengths"});
  add(model, "Concat", {"lengths", "width"}, {"longer"});
  set_integer(*model.mutable_graph()->mutable_node(2), "axis", 0);
  add(model, "Reshape", {"x", "longer"}, {"z"});
  add(model, "MatMul", {"z", "w"}, {"end"});
  CHECK(contains(failure_of(model, {}), "operator 'org.example:Special'"));
  CHECK_FALSE(contains(failure_of(model, {}), "depend"));
}

TEST_CASE("network: a length that is a sum follows from its parts, a pattern gives many") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {0, 4});
  add_typed_input(model, "y", ElementType::float32, {0, 4});
  const auto name = [&](int input, const std::string& text) {
    model.mutable_graph()
        ->mutable_input(input)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_param(text);
  };
  name(0, "past + new");
  name(1, "new");
  add(model, "Relu", {"x"}, {"z"});
  add(model, "Relu", {"y"}, {"u"});
  CHECK(tensor(evaluated(model, {{"past", 3}, {"new", 2}}), "z").shape == Shape{5, 4});
  CHECK(contains(failure(model, {{"new", 2}}), "'past'"));
  CHECK_FALSE(contains(failure(model, {{"new", 2}}), "past + new"));
  CHECK(tensor(evaluated(model, {{"*:0", 7}}), "u").shape == Shape{7, 4});
  CHECK(contains(failure(model, {{"*:0", 7}, {"q*", 1}}), "leaves no length 'q*' open"));
}

TEST_CASE("network: a length may be an expression over other lengths") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {0, 6});
  add(model, "Relu", {"x"}, {"y"});
  const auto rows = [&](const std::string& expression, Dimensions others = {}) {
    others["x:0"] = expression;
    return tensor(evaluated(model, others), "y").shape->at(0);
  };
  CHECK(rows("tokens * 2 / experts", {{"tokens", 12}, {"experts", 8}}) == 3);
  CHECK(rows("tokens / experts * 2", {{"tokens", 12}, {"experts", 8}}) == 3);
  CHECK(rows("2 + 3 * (4 - x:1 / 3)") == 8);
  CHECK(rows("ceil(7 / 2) + floor(-7 / 2) + floor(7/2)") == 3);
  CHECK(rows("'a b' - -1", {{"a b", "c * c"}, {"c", 3}}) == 10);

  const auto problem = [&](const std::string& expression, Dimensions others = {}) {
    others["x:0"] = expression;
    return failure(model, others);
  };
  CHECK(contains(problem("tokns * 2", {{"tokens", 12}}),
                 "length 'x:0': expression 'tokns * 2' has the name 'tokns', which no length has; did you "
                 "mean 'tokens'"));
  CHECK(contains(problem("3 / 2"), "is 3/2, no whole number"));
  CHECK(contains(problem("1 / (x:1 - 6)"), "division by zero"));
  CHECK(contains(problem("3 - x:1"), "is -3, less than 0"));
  CHECK(contains(problem("3 +"), "a number or a name is expected"));
  CHECK(contains(problem("(3"), "')' is expected"));
  CHECK(contains(problem("3 4"), "an operator is expected"));
  CHECK(contains(problem("'x"), "the other quote is missing"));
  CHECK(contains(problem("4000000000 * 4000000000"), "beyond the numbers of 63 bits"));
  CHECK(contains(problem(std::string(1000, '(')), "more than 100 brackets"));
  CHECK(contains(problem("x:0 + 1"), "needs the length 'x:0', which needs it"));
  CHECK(contains(problem("axis0"), "needs the length 'axis0', which nobody gives"));
  // One that is a problem is told once, and so is what nobody needs.
  const std::string twice = problem("a + 1", {{"a", "b"}});
  CHECK(contains(twice, "length 'a'"));
  CHECK_FALSE(contains(twice, "length 'x:0'"));
  CHECK(contains(problem("4", {{"a", "2"}}), "leaves no length 'a' open"));
}

TEST_CASE("network: a length that the file fixes may be given for the axis of an input") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {1, 4});
  add_weight(model, "w", ElementType::float32, {4, 8});
  add(model, "MatMul", {"x", "w"}, {"y"});
  CHECK(all_macs(evaluated(model, {{"x:0", 16}})) == 16 * 4 * 8);
}

TEST_CASE("network: what ONNX Runtime wrote for one processor is refused, with what to do") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {1, 8, 4, 4});
  add_weight(model, "w", ElementType::float32, {8, 8, 3, 3});
  add(model, "Conv", {"x", "w"}, {"y"}).set_domain("com.microsoft.nchwc");
  CHECK(contains(failure(model), "save the optimised model at the level 'extended'"));
}

TEST_CASE("network: somebody else may know an operator, and what they say is checked") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {4, 8});
  add_typed_input(model, "w", ElementType::float32, {8, 2});
  add(model, "Special", {"x"}, {"y"}).set_domain("org.example");
  add(model, "MatMul", {"y", "w"}, {"z"});
  CHECK(contains(failure_of(model, {}), "operator 'org.example:Special'"));

  OperatorAnswer answer;
  answer.outputs = {{ElementType::float32, Shape{4, 8}}};
  Product product;
  product.loops = {{"D", 4}, {"C", 3}, {"K", 8}};
  product.output_dimensions = {"D", "K"};
  product.input.dimensions = {"D", "C"};
  product.weight.dimensions = {"C", "K"};
  product.input.input = product.weight.input = 0;
  answer.products = {product};
  OnnxSettings settings;
  settings.read_operator = [&](const std::string& name, const std::string& op_type,
                               const OperatorNode& node) {
    CHECK(name == "Op0");
    CHECK(op_type == "org.example:Special");
    CHECK(*node.shape(0) == Shape{4, 8});
    return std::optional(answer);
  };
  const Workload workload = read_model(model, {}, nullptr, settings);
  CHECK(workload.layers.at(0)->mac_count() == 4 * 3 * 8);
  CHECK(workload.layers.at(1)->mac_count() == 4 * 8 * 2);

  answer.products[0].weight.input = 1;
  CHECK(contains(failure_of(model, {}, settings), "neither an input of the node nor an earlier product"));
  answer.products[0].weight.input = 0;
  answer.products[0].input.dimensions = {"D", "Z"};
  CHECK(contains(failure_of(model, {}, settings), "dimension 'Z', which is no loop"));
  answer.products.clear();
  answer.outputs.push_back({ElementType::float32, Shape{1}});
  CHECK(contains(failure_of(model, {}, settings), "2 outputs, the node has 1"));
}

TEST_CASE("network: shapes that the file states otherwise do not count, with a warning") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {4, 8});
  add(model, "Transpose", {"x"}, {"y"});
  onnx::ValueInfoProto& stated = *model.mutable_graph()->add_value_info();
  stated.set_name("y");
  for (const std::int64_t length : {4, 8})
    stated.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(length);
  Diagnostics diagnostics;
  const Network network = evaluate_network(std::make_shared<const onnx::ModelProto>(model), {},
                                           SourceMark{"model.onnx"}, diagnostics);
  CHECK(tensor(network, "y").shape == Shape{8, 4});
  CHECK(contains(warnings_of(diagnostics), "'y' (4x8 instead of 8x4)"));
}

TEST_CASE("network: weights among the inputs of the network are told from data") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {1, 3, 8});  // read as the first factor
  add_typed_input(model, "w", ElementType::float32, {8, 4});
  add_typed_input(model, "scale", ElementType::float32, {4});
  add_typed_input(model, "token", ElementType::float32, {1, 1, 4});
  add_typed_input(model, "logarithm", ElementType::float32, {4, 4});
  add_integers(model, "lengths", {1, 1, 4});
  add(model, "MatMul", {"x", "w"}, {"a"});
  add(model, "Mul", {"scale", "a"}, {"b"});
  add(model, "Expand", {"token", "lengths"}, {"first"});
  add(model, "Concat", {"first", "b"}, {"c"});
  set_integer(*model.mutable_graph()->mutable_node(3), "axis", 1);
  add(model, "Exp", {"logarithm"}, {"factors"});
  add(model, "Mul", {"c", "factors"}, {"d"});
  const Network network = evaluated(model);
  CHECK_FALSE(tensor(network, "x").constant);
  for (const char* name : {"w", "scale", "token", "logarithm"}) CHECK(tensor(network, name).constant);
  CHECK(tensor(network, "d").shape == Shape{1, 4, 4});
}

TEST_CASE("network: weights within the file are not looked at, small numbers and integers are") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {2, 2000});
  for (const auto& [name, elements] : {std::pair{"weights", 2000}, std::pair{"bounds", 2}}) {
    add_weight(model, name, ElementType::float32, {elements});
    model.mutable_graph()->mutable_initializer()->rbegin()->set_raw_data(
        std::string(static_cast<std::size_t>(elements) * 4, '\0'));
  }
  add_integers(model, "places", std::vector<std::int64_t>(2000, 1));
  add(model, "Mul", {"x", "weights"}, {"y"});
  const Network network = evaluated(model);
  CHECK(tensor(network, "weights").values == nullptr);
  CHECK(tensor(network, "bounds").values != nullptr);
  CHECK(tensor(network, "places").values != nullptr);
}

TEST_CASE("network: spectra have the bins and frames of their signals") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "signal", ElementType::float32, {2, 400, 1});
  add_typed_input(model, "window", ElementType::float32, {64});
  add_integers(model, "step", {16});
  add(model, "DFT", {"signal"}, {"whole"});
  set_integer(add(model, "DFT", {"signal"}, {"half"}), "onesided", 1);
  add(model, "STFT", {"signal", "step", "window"}, {"frames"});
  const Network network = evaluated(model);
  CHECK(tensor(network, "whole").shape == Shape{2, 400, 2});
  CHECK(tensor(network, "half").shape == Shape{2, 201, 2});
  CHECK(tensor(network, "frames").shape == Shape{2, 22, 33, 2});
}

TEST_CASE("network: sequences of tensors are put together and taken apart, in loops too") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {2, 6});
  add_integers(model, "lengths", {2, 4});
  set_integer(add(model, "SplitToSequence", {"x", "lengths"}, {"parts"}), "axis", 1);
  add_integers(model, "last", {-1});
  add(model, "SequenceAt", {"parts", "last"}, {"second"});
  add(model, "SequenceInsert", {"parts", "second"}, {"three"});
  add(model, "SequenceErase", {"three", "last"}, {"two"});
  add(model, "SequenceLength", {"three"}, {"count"});
  set_integer(add(model, "ConcatFromSequence", {"three"}, {"joined"}), "axis", 1);

  add(model, "SequenceEmpty", {}, {"none"});
  onnx::NodeProto& loop = add(model, "Loop", {"count", "", "none"}, {"filled"});
  onnx::AttributeProto& attribute = *loop.add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& body = *attribute.mutable_g();
  for (const char* name : {"i", "go", "so_far"}) body.add_input()->set_name(name);
  add_node(body, "SequenceInsert", {"so_far", "joined"}, {"more"});
  for (const char* name : {"go", "more"}) body.add_output()->set_name(name);
  onnx::NodeProto& stack = add(model, "ConcatFromSequence", {"filled"}, {"stacked"});
  set_integer(stack, "axis", 0);
  set_integer(stack, "new_axis", 1);

  const Network network = evaluated(model);
  CHECK(tensor(network, "joined").shape == Shape{2, 10});
  CHECK(tensor(network, "stacked").shape == Shape{3, 2, 10});
  const NetworkNode& split = network.nodes.front();
  CHECK(network.tensors[split.outputs.at(1)].shape == Shape{2, 4});
  const NetworkNode& join = network.nodes.at(1);
  CHECK(join.inputs == std::vector<std::int64_t>{split.outputs[0], split.outputs[1], split.outputs[1]});
  CHECK(network.nodes.size() == 3);

  add_typed_input(model, "where", ElementType::int64, {});
  model.mutable_graph()->mutable_node(1)->set_input(1, "where");
  CHECK(contains(tensor(evaluated(model), "second").unknown_because, "known at run time only"));
}

TEST_CASE("network: SequenceMap runs its body for each tensor, beside sequences and tensors of its own") {
  onnx::ModelProto model = empty_model(17);
  add_typed_input(model, "x", ElementType::float32, {2, 6});
  add_typed_input(model, "w", ElementType::float32, {4, 3});
  add_integers(model, "lengths", {2, 4});
  set_integer(add(model, "SplitToSequence", {"x", "lengths"}, {"parts"}), "axis", 1);
  onnx::NodeProto& map = add(model, "SequenceMap", {"parts", "parts", "w"}, {"joined", "lengths_of"});
  map.set_name("map");
  onnx::AttributeProto& attribute = *map.add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& body = *attribute.mutable_g();
  for (const char* name : {"one", "same", "matrix"}) body.add_input()->set_name(name);
  set_integer(add_node(body, "Concat", {"one", "same"}, {"twice"}), "axis", 0);
  set_integer(add_node(body, "Concat", {"twice", "twice"}, {"wide"}), "axis", 1);
  add_node(body, "Shape", {"matrix"}, {"size"});
  for (const char* name : {"wide", "size"}) body.add_output()->set_name(name);
  add_integers(model, "last", {-1});
  add(model, "SequenceAt", {"joined", "last"}, {"second"});
  add(model, "SequenceLength", {"lengths_of"}, {"count"});

  const Network network = evaluated(model);
  CHECK(tensor(network, "map/wide#1").shape == Shape{4, 8});
  CHECK(*tensor(network, "count").values == Values(std::vector<std::int64_t>{2}));
  CHECK(network.nodes.at(1).name.find("map/") == 0);
  CHECK(network.nodes.at(4).name.find("#1") != std::string::npos);

  map.mutable_attribute(0)->mutable_g()->mutable_input()->RemoveLast();
  CHECK(contains(failure(model), "other inputs or outputs than the node"));
}
