#include "core/input/onnx/network.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <onnx/onnx_pb.h>
#include <unordered_set>
#include <utility>

#include "core/input/onnx/detail/graph_evaluation.hpp"
#include "core/input/onnx/detail/onnx_model.hpp"
#include "core/input/onnx/detail/parameter_inputs.hpp"

namespace zz::core::onnx_import {
namespace {

/// The first axis of every input of the network that leaves it open, as ZigZag assumes it.
Dimensions batch_sizes_of_one(const onnx::GraphProto& graph, const SourceMark& mark,
                              Diagnostics& diagnostics) {
  std::unordered_set<std::string> initialisers;
  for (const auto& tensor : graph.initializer()) initialisers.insert(tensor.name());
  Dimensions sizes;
  for (const auto& input : graph.input()) {
    const auto& shape = input.type().tensor_type().shape();
    if (initialisers.count(input.name()) != 0 || shape.dim_size() < 2 || shape.dim(0).dim_value() > 0)
      continue;
    const std::string& symbol = shape.dim(0).dim_param();
    const bool is_new = sizes.emplace(symbol.empty() ? input.name() + ":0" : symbol, 1).second;
    if (!is_new) continue;
    diagnostics.warning(
        mark,
        fmt::format("the batch size of input '{}' is not fixed{}: 1 is assumed", input.name(),
                    symbol.empty() ? "" : fmt::format(" (it is called '{}')", symbol)),
        "export the model with a fixed batch size for another one");
  }
  return sizes;
}

/// The lengths with that of the batch: by the name of the axis where it has one, so that what is called so
/// elsewhere follows.
GivenInputs with_batch(const onnx::ModelProto& model, const GivenInputs& given, const SourceMark& mark,
                       Diagnostics& diagnostics) {
  GivenInputs all = given;
  if (!given.batch) return all;
  std::unordered_set<std::string> others = parameter_inputs(model);
  for (const auto& tensor : model.graph().initializer()) others.insert(tensor.name());
  bool found = false;
  for (const auto& input : model.graph().input()) {
    const auto& shape = input.type().tensor_type().shape();
    if (others.count(input.name()) != 0 || shape.dim_size() < 2) continue;
    found = true;
    const std::string by_axis = input.name() + ":0", &symbol = shape.dim(0).dim_param();
    if (given.dimensions.count(by_axis) != 0 || given.dimensions.count(symbol) != 0) continue;
    all.dimensions.emplace(symbol.empty() ? by_axis : symbol, *given.batch);
  }
  if (!found)
    diagnostics.error(
        mark,
        fmt::format("`batch: {}` cannot be given: no input of the network has two axes, the first of "
                    "which could be a batch",
                    *given.batch),
        "write `dimensions: {\"input:0\": LENGTH}` for an axis that is one");
  return all;
}

/// A network that multiplies, and whose results nothing but the file determines, is none to run.
void expect_data(const Network& network, const SourceMark& mark, Diagnostics& diagnostics) {
  const auto is_constant = [&](std::int64_t index) {
    return network.tensors[static_cast<std::size_t>(index)].constant;
  };
  const bool multiplies =
      std::any_of(network.nodes.begin(), network.nodes.end(), [](const NetworkNode& node) {
        return node.known != nullptr && node.known->work == Operator::Work::products;
      });
  if (!multiplies || network.outputs.empty() ||
      !std::all_of(network.outputs.begin(), network.outputs.end(), is_constant))
    return;
  std::unordered_set<std::string> inputs;
  for (const auto& input : network.model->graph().input()) inputs.insert(input.name());
  for (const auto& tensor : network.model->graph().initializer()) inputs.erase(tensor.name());
  std::vector<std::string> taken;
  for (const std::int64_t index : network.weights)
    if (const std::string& name = network.tensors[static_cast<std::size_t>(index)].name;
        inputs.count(name) != 0)
      taken.push_back("'" + name + "'");
  diagnostics.error(mark, "all results of the network are constant: none depends on data",
                    taken.empty()
                        ? "an input that reaches a result is expected"
                        : fmt::format("taken for weights: {}; a file without weights of its own lists "
                                      "them among its inputs, beside the data",
                                      fmt::join(taken, ", ")));
}

}  // namespace

OperatorNode Network::view(const NetworkNode& node) const {
  const auto all = [this](const std::vector<std::int64_t>& indices) {
    std::vector<const Tensor*> found;
    for (const std::int64_t index : indices)
      found.push_back(index < 0 ? nullptr : &tensors[static_cast<std::size_t>(index)]);
    return found;
  };
  return OperatorNode(node.proto->op_type(), Attributes(*node.proto, node.call), node.operator_set,
                      all(node.inputs), all(node.outputs));
}

OperatorNode Network::view_to_fill_in(const NetworkNode& node) {
  const auto all = [this](const std::vector<std::int64_t>& indices) {
    std::vector<Tensor*> found;
    for (const std::int64_t index : indices)
      found.push_back(index < 0 ? nullptr : &tensors[static_cast<std::size_t>(index)]);
    return found;
  };
  const std::vector<Tensor*> inputs = all(node.inputs), outputs = all(node.outputs);
  return OperatorNode(node.proto->op_type(), Attributes(*node.proto, node.call), node.operator_set,
                      {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}, outputs);
}

std::vector<Product> Network::products(const NetworkNode& node) const {
  const bool is_of_file =
      std::all_of(node.outputs.begin(), node.outputs.end(), [this](std::int64_t output) {
        return output < 0 || tensors[static_cast<std::size_t>(output)].of_file;
      });
  if (is_of_file) return {};
  if (node.answer != nullptr) return node.answer->products;
  if (node.known == nullptr || node.known->products == nullptr) return {};
  return node.known->products(view(node));
}

Network evaluate_network(std::shared_ptr<const onnx::ModelProto> model, const GivenInputs& given,
                         const SourceMark& mark, Diagnostics& diagnostics,
                         const ReadOperator& read_operator) {
  Network network;
  network.model = std::move(model);
  GraphEvaluation(network, GraphEvaluation::Manner::complete,
                  with_batch(*network.model, given, mark, diagnostics), read_operator, mark, diagnostics)
      .run();
  return network;
}

Network evaluate_as_zigzag(std::shared_ptr<const onnx::ModelProto> model, const SourceMark& mark,
                           Diagnostics& diagnostics) {
  Network network;
  const GivenInputs given{batch_sizes_of_one(model->graph(), mark, diagnostics), {}, {}};
  network.model = std::move(model);
  GraphEvaluation(network, GraphEvaluation::Manner::zigzag, given, {}, mark, diagnostics).run();
  return network;
}

Network read_network(const std::string& path, const GivenInputs& given, Diagnostics& diagnostics,
                     const ReadOperator& read_operator, const Files& files) {
  auto model = std::make_shared<const onnx::ModelProto>(load_model(path, diagnostics, files));
  Network network = evaluate_network(std::move(model), given, SourceMark{path}, diagnostics, read_operator);
  diagnostics.throw_if_errors();
  expect_data(network, SourceMark{path}, diagnostics);
  diagnostics.throw_if_errors();
  return network;
}

Network read_as_zigzag(const std::string& path, Diagnostics& diagnostics, const Files& files) {
  auto model = std::make_shared<const onnx::ModelProto>(load_model(path, diagnostics, files));
  Network network = evaluate_as_zigzag(std::move(model), SourceMark{path}, diagnostics);
  diagnostics.throw_if_errors();
  return network;
}

bool has_unknown_operator(const NetworkNode& node) {
  return node.known == nullptr && node.answer == nullptr;
}

std::optional<std::int64_t> mac_count(const Network& network, const NetworkNode& node) {
  if (has_unknown_operator(node)) return std::nullopt;
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  try {
    for (const Product& product : network.products(node)) {
      const std::int64_t count = mac_count(product);
      sum = count > largest - sum ? largest : sum + count;
    }
  } catch (const NodeProblem&) {
    return std::nullopt;  // reported where its layers are made
  }
  return sum;
}

}  // namespace zz::core::onnx_import
