#include "core/input/onnx/detail/graph_evaluation.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <onnx/onnx_pb.h>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/interruption.hpp"
#include "core/base/nearest_name.hpp"
#include "core/input/onnx/detail/control_flow.hpp"
#include "core/input/onnx/detail/declared_tensors.hpp"
#include "core/input/onnx/detail/parameter_inputs.hpp"
#include "core/input/onnx/detail/sequences.hpp"
#include "core/input/onnx/operator_node.hpp"

namespace zz::core::onnx_import {
namespace {

/// Calls `visit` for every tensor that the node reads, those that bodies read from outside included.
void for_each_read(const onnx::NodeProto& node, const std::function<void(const std::string&)>& visit) {
  for (const std::string& input : node.input()) visit(input);
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    for (const auto& inner : attribute.g().node()) for_each_read(inner, visit);
    for (const auto& output : attribute.g().output()) visit(output.name());
  }
}

/// The nodes of one graph or function body in an order in which they can be computed: that of the file as
/// far as possible. Throws NodeProblem for a tensor that two nodes produce, and for nodes in a circle.
std::vector<const onnx::NodeProto*> computable_order(const std::vector<const onnx::NodeProto*>& nodes) {
  std::unordered_map<std::string_view, std::size_t> producers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i]->output()) {
      if (!output.empty() && !producers.emplace(output, i).second)
        throw NodeProblem(fmt::format("tensor '{}' is produced by two nodes", output),
                          "every tensor of a graph has one producer");
    }
  }
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<std::size_t> awaited(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for_each_read(*nodes[i], [&](const std::string& tensor) {
      const auto producer = producers.find(tensor);
      if (producer == producers.end() || producer->second == i) return;
      readers[producer->second].push_back(i);
      ++awaited[i];
    });
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (awaited[i] == 0) ready.push(i);
  std::vector<const onnx::NodeProto*> order;
  order.reserve(nodes.size());
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(nodes[next]);
    for (const std::size_t reader : readers[next])
      if (--awaited[reader] == 0) ready.push(reader);
  }
  if (order.size() == nodes.size()) return order;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (awaited[i] > 0)
      throw NodeProblem(fmt::format("node '{}' ({}) waits for its own result, over other nodes",
                                    nodes[i]->name(), nodes[i]->op_type()),
                        "a graph must have no circle");
  return order;
}

// docs/limits.md names both.
constexpr std::size_t most_nodes = 2'000'000;
constexpr int deepest = 100;

std::string domain_of(const onnx::NodeProto& node) {
  return node.domain() == "ai.onnx" ? std::string() : node.domain();
}

std::string full_type(const onnx::NodeProto& node) {
  const std::string domain = domain_of(node);
  return domain.empty() ? node.op_type() : domain + ":" + node.op_type();
}

template <class Imports>
OperatorSets sets_of(const Imports& imports) {
  OperatorSets sets;
  for (const auto& import : imports)
    sets[import.domain() == "ai.onnx" ? std::string() : import.domain()] = import.version();
  return sets;
}

[[noreturn]] void refuse(const SourceMark& mark, std::string message, std::string hint) {
  throw InputError({Diagnostic{Severity::error, mark, std::move(message), std::move(hint)}});
}

}  // namespace

std::int64_t Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    const auto found = scope->tensors_.find(name);
    if (found != scope->tensors_.end()) return found->second;
  }
  return -1;
}

GraphEvaluation::GraphEvaluation(Network& network, Manner manner, const GivenInputs& given,
                                 const ReadOperator& read_operator, SourceMark mark,
                                 Diagnostics& diagnostics)
    : network_(network),
      manner_(manner),
      lengths_(given.dimensions, network.model->graph()),
      values_(given.values),
      read_operator_(read_operator),
      mark_(std::move(mark)),
      diagnostics_(diagnostics),
      stated_(network.model->graph(), as_zigzag()),
      completion_(network_, lengths_, stated_, as_zigzag()) {}

void GraphEvaluation::run() {
  const onnx::ModelProto& model = *network_.model;
  operator_sets_ = sets_of(model.opset_import());
  // Tools for networks of integers alone write them as floats (QuantLab, Deeploy).
  of_integers_ = std::any_of(model.graph().node().begin(), model.graph().node().end(),
                             [](const auto& node) { return node.op_type() == "RequantShift"; });
  read_functions();
  Scope scope;
  add_inputs(model.graph(), scope);
  diagnostics_.throw_if_errors();
  run_graph(model.graph(), scope, {"", "", &operator_sets_, nullptr, 0});
  for (const auto& output : model.graph().output()) {
    if (const std::int64_t tensor = scope.find(output.name()); tensor >= 0)
      network_.outputs.push_back(tensor);
    else if (!as_zigzag())
      diagnostics_.error(
          mark_, fmt::format("the output '{}' of the network is produced by no node", output.name()));
  }
  for (const auto& [name, tensor] : scope.tensors())
    if (network_.tensors[static_cast<std::size_t>(tensor)].name != name)
      network_.other_names.emplace_back(name, tensor);
  std::sort(network_.other_names.begin(), network_.other_names.end());
  lengths_.report_unused(mark_, diagnostics_);
  stated_.warn(mark_, diagnostics_);
}

void GraphEvaluation::read_functions() {
  for (const auto& function : network_.model->functions()) {
    const std::string domain = function.domain() == "ai.onnx" ? std::string() : function.domain();
    functions_[domain + ":" + function.name()] = &function;
    OperatorSets sets = operator_sets_;
    for (auto& [name, version] : sets_of(function.opset_import())) sets[name] = version;
    function_sets_.emplace(&function, std::move(sets));
  }
}

void GraphEvaluation::add_inputs(const onnx::GraphProto& graph, Scope& scope) {
  std::unordered_set<std::string> initialisers;
  for (const auto& tensor : graph.initializer()) initialisers.insert(tensor.name());
  const std::unordered_set<std::string> parameters = parameter_inputs(*network_.model);
  std::vector<std::string> names;
  for (const auto& input : graph.input()) {
    if (initialisers.count(input.name()) != 0) continue;
    Tensor tensor = declared_input(input, lengths_);
    give_values(tensor);
    names.push_back(input.name());
    const bool constant = tensor.constant = tensor.of_file = parameters.count(input.name()) != 0;
    const std::int64_t index = add_tensor(std::move(tensor));
    (constant ? network_.weights : network_.inputs).push_back(index);
    scope.put(input.name(), index);
  }
  if (!as_zigzag()) lengths_.report(mark_, diagnostics_);
  for (const auto& [name, values] : values_)
    if (std::find(names.begin(), names.end(), name) == names.end())
      diagnostics_.error(mark_, fmt::format("the network has no input '{}' that could have a value", name),
                         suggestion(name, names));
}

void GraphEvaluation::give_values(Tensor& tensor) {
  const auto given = values_.find(tensor.name);
  if (given == values_.end()) return;
  try {
    set_given_values(tensor, given->second);
  } catch (const NodeProblem& problem) {
    diagnostics_.error(mark_, fmt::format("the value of input '{}' {}", tensor.name, problem.what()),
                       problem.hint());
  }
}

void GraphEvaluation::add_initialisers(const onnx::GraphProto& graph, Scope& scope,
                                       const std::string& prefix, const std::string& suffix) {
  const auto add = [&](const auto& initialiser, const std::string& name) {
    Tensor tensor;
    tensor.name = prefix + name + suffix;
    try {
      declare_initialiser(initialiser, tensor);
      if constexpr (std::is_same_v<std::decay_t<decltype(initialiser)>, onnx::TensorProto>)
        if (const std::int64_t bits = of_integers_ ? bits_of_whole_numbers(initialiser) : 0; bits > 0)
          tensor.stored_bits = bits;
    } catch (const NodeProblem& problem) {
      diagnostics_.error(mark_, problem.what(), problem.hint());
    }
    const std::int64_t index = add_tensor(std::move(tensor));
    network_.weights.push_back(index);
    scope.put(name, index);
  };
  for (const auto& tensor : graph.initializer()) add(tensor, tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) add(tensor, tensor.values().name());
}

std::int64_t GraphEvaluation::add_tensor(Tensor tensor) {
  network_.tensors.push_back(std::move(tensor));
  return static_cast<std::int64_t>(network_.tensors.size()) - 1;
}

void GraphEvaluation::run_graph(const onnx::GraphProto& graph, Scope& scope, const Surroundings& around) {
  if (around.depth > deepest)
    refuse(mark_, fmt::format("functions and bodies call each other more than {} deep", deepest),
           "a function must not call itself");
  add_initialisers(graph, scope, around.prefix, around.suffix);
  std::vector<const onnx::NodeProto*> nodes;
  for (const auto& node : graph.node()) nodes.push_back(&node);
  run_nodes(nodes, scope, around);
}

void GraphEvaluation::run_nodes(const std::vector<const onnx::NodeProto*>& nodes, Scope& scope,
                                const Surroundings& around) {
  std::unordered_map<const onnx::NodeProto*, std::size_t> places;
  for (std::size_t i = 0; i < nodes.size(); ++i) places.emplace(nodes[i], i);
  std::vector<const onnx::NodeProto*> order;
  try {
    order = computable_order(nodes);
  } catch (const NodeProblem& problem) {
    refuse(mark_, problem.what(), problem.hint());
  }
  for (const onnx::NodeProto* const node : order) run_node(*node, places.at(node), scope, around);
}

void GraphEvaluation::run_node(const onnx::NodeProto& proto, std::size_t place, Scope& scope,
                               const Surroundings& around) {
  const std::string name = (proto.name().empty() ? fmt::format("Op{}", place) : proto.name());
  const auto function = functions_.find(domain_of(proto) + ":" + proto.op_type());
  try {
    if (function != functions_.end()) {
      run_opened(proto, name, scope, around,
                 [&] { run_function(*function->second, proto, name, scope, around); });
    } else if (domain_of(proto).empty() && is_control_flow(proto)) {
      run_opened(proto, name, scope, around, [&] { run_control_flow(*this, proto, name, scope, around); });
    } else if (!as_zigzag() && domain_of(proto).empty() && is_on_sequences(*this, proto, scope)) {
      run_on_sequences(*this, proto, name, scope, around);
    } else {
      run_operator(proto, name, scope, around);
    }
  } catch (const NodeProblem& problem) {
    report(problem, around.prefix + name + around.suffix, full_type(proto));
    if (!as_zigzag()) put_unknown_results(proto, scope, around);
  }
}

/// Results of a node with a problem: what reads them has none of its own.
void GraphEvaluation::put_unknown_results(const onnx::NodeProto& proto, Scope& scope,
                                          const Surroundings& around) {
  for (const std::string& output : proto.output()) {
    if (output.empty() || scope.find(output) >= 0) continue;
    Tensor tensor;
    tensor.name = around.prefix + output + around.suffix;
    tensor.unknown_because = "the node that makes it has a problem";
    scope.put(output, add_tensor(std::move(tensor)));
  }
}

/// Follows what a node calls. As ZigZag reads files, that only tells the shapes of the node's results.
void GraphEvaluation::run_opened(const onnx::NodeProto& proto, const std::string& name, Scope& scope,
                                 const Surroundings& around, const std::function<void()>& follow) {
  if (!as_zigzag() || proto.op_type() == "If") return follow();
  const std::vector<std::int64_t> inputs = inputs_of(proto, scope);
  const Progress before = progress();
  try {
    follow();
  } catch (const NodeProblem&) {
    // Its results have the shapes that the file states.
  }
  std::vector<Tensor> results;
  for (const std::string& output : proto.output()) {
    const std::int64_t found = output.empty() ? -1 : scope.find(output);
    results.push_back(found >= 0 ? network_.tensors[static_cast<std::size_t>(found)] : Tensor());
  }
  take_back(before);
  const std::vector<std::string> names(proto.output().begin(), proto.output().end());
  NetworkNode& node = add_node(proto, name, around, inputs, names);
  node.known = nullptr;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (node.outputs[i] < 0) continue;
    Tensor& tensor = network_.tensors[static_cast<std::size_t>(node.outputs[i])];
    tensor.type = results[i].type;
    tensor.shape = std::move(results[i].shape);
  }
  completion_.complete(node);
  put_results(proto, node.outputs, scope);
}

void GraphEvaluation::run_operator(const onnx::NodeProto& proto, const std::string& name, Scope& scope,
                                   const Surroundings& around) {
  const std::vector<std::string> results(proto.output().begin(), proto.output().end());
  put_results(proto, run_operator(proto, name, around, inputs_of(proto, scope), results), scope);
}

std::vector<std::int64_t> GraphEvaluation::inputs_of(const onnx::NodeProto& proto, Scope& scope) {
  std::vector<std::int64_t> inputs;
  for (const std::string& input : proto.input()) {
    inputs.push_back(input.empty() ? -1 : find(input, scope));
    if (!input.empty() && inputs.back() < 0)
      throw NodeProblem(
          fmt::format("its input '{}' is produced by no node, and is no input of the network", input));
  }
  return inputs;
}

void GraphEvaluation::put_results(const onnx::NodeProto& proto, const std::vector<std::int64_t>& results,
                                  Scope& scope) {
  for (int i = 0; i < proto.output_size(); ++i)
    if (!proto.output(i).empty()) scope.put(proto.output(i), results[static_cast<std::size_t>(i)]);
}

std::vector<std::int64_t> GraphEvaluation::run_operator(const onnx::NodeProto& proto,
                                                        const std::string& name, const Surroundings& around,
                                                        std::vector<std::int64_t> inputs,
                                                        const std::vector<std::string>& results,
                                                        const std::string& unknown_because) {
  end_if_interrupted();
  if (network_.nodes.size() >= most_nodes)
    refuse(mark_, fmt::format("more than {} nodes run, all iterations of loops counted", most_nodes),
           "shorten the loops, or export the model with fewer of them");
  if (domain_of(proto) == "com.microsoft.nchwc" && !as_zigzag())
    refuse(mark_,
           fmt::format(
               "node '{}' ({}): ONNX Runtime wrote the file for one processor, with its channels in blocks",
               name, full_type(proto)),
           "save the optimised model at the level 'extended'");
  NetworkNode& node = add_node(proto, name, around, std::move(inputs), results);
  if (!unknown_because.empty()) {
    network_.view_to_fill_in(node).unknown_because(unknown_because);
  } else if (node.known == nullptr && !ask_for(node)) {
    const std::string reason =
        fmt::format("it follows from operator '{}' (node '{}'), which is unknown", node.op_type, node.name);
    if (unknown_operators_.insert(node.op_type).second)
      warn(fmt::format("operator '{}' is unknown (node '{}'): so are its results, and it has no cost",
                       node.op_type, node.name));
    network_.view_to_fill_in(node).unknown_because(reason);
  } else if (node.known != nullptr) {
    try {
      node.known->infer(network_.view_to_fill_in(node));
    } catch (const NodeProblem& problem) {
      if (as_zigzag())
        stated_.note(fmt::format("node '{}' ({}): {}", node.name, node.op_type, problem.what()));
      else
        report(problem, node.name, node.op_type);
    }
  }
  completion_.complete(node);
  return node.outputs;
}

NetworkNode& GraphEvaluation::add_node(const onnx::NodeProto& proto, const std::string& name,
                                       const Surroundings& around, std::vector<std::int64_t> inputs,
                                       const std::vector<std::string>& results) {
  NetworkNode node;
  node.id = static_cast<std::int64_t>(network_.nodes.size());
  node.name = around.prefix + name + around.suffix;
  node.op_type = full_type(proto);
  node.proto = &proto;
  node.call = around.call;
  node.known = find_operator(domain_of(proto), proto.op_type());
  const auto set = around.operator_sets->find(domain_of(proto));
  node.operator_set = set != around.operator_sets->end() ? set->second : 1;
  node.inputs = std::move(inputs);
  for (const std::string& result : results) {
    Tensor tensor;
    tensor.name = around.prefix + result + around.suffix;
    tensor.producer = node.id;
    node.outputs.push_back(result.empty() ? -1 : add_tensor(std::move(tensor)));
  }
  network_.nodes.push_back(std::move(node));
  return network_.nodes.back();
}

std::int64_t GraphEvaluation::find(const std::string& name, Scope& scope) {
  const std::int64_t found = scope.find(name);
  if (found >= 0 || !as_zigzag()) return found;
  Tensor tensor;
  tensor.name = name;
  tensor.unknown_because = "no node produces it, and it is no input of the network";
  completion_.fill_in_lengths(tensor);
  scope.put(name, add_tensor(std::move(tensor)));
  return scope.find(name);
}

/// True when somebody else knows the operator; the outputs are filled in then.
bool GraphEvaluation::ask_for(NetworkNode& node) {
  if (!read_operator_) return false;
  const OperatorNode view = network_.view_to_fill_in(node);
  const std::optional<OperatorAnswer> answer = read_operator_(node.name, node.op_type, view);
  if (!answer) return false;
  if (const std::string problem = answer_problem(*answer, view); !problem.empty())
    throw NodeProblem("what the stage that reads this operator says about it cannot be: " + problem);
  for (std::size_t i = 0; i < answer->outputs.size(); ++i)
    view.set(i, answer->outputs[i].type, answer->outputs[i].shape);
  node.answer = std::make_shared<const OperatorAnswer>(*answer);
  return true;
}

void GraphEvaluation::run_function(const onnx::FunctionProto& function, const onnx::NodeProto& call,
                                   const std::string& name, Scope& scope, const Surroundings& around) {
  if (around.depth > deepest)
    refuse(mark_, fmt::format("functions and bodies call each other more than {} deep", deepest),
           "a function must not call itself");
  auto given_attributes = std::make_shared<CallAttributes>();
  const Attributes attributes(call, around.call);
  for (const auto& formal : function.attribute())
    if (const onnx::AttributeProto* const value = attributes.find(formal))
      given_attributes->emplace(formal, value);
  network_.calls.push_back(given_attributes);
  Scope inner;
  for (int i = 0; i < function.input_size() && i < call.input_size(); ++i) {
    const std::int64_t tensor = call.input(i).empty() ? -1 : scope.find(call.input(i));
    if (tensor >= 0) inner.put(function.input(i), tensor);
  }
  std::vector<const onnx::NodeProto*> nodes;
  for (const auto& node : function.node()) nodes.push_back(&node);
  run_nodes(nodes, inner,
            {around.prefix + name + "/", around.suffix, &function_sets_.at(&function),
             given_attributes.get(), around.depth + 1});
  for (int i = 0; i < function.output_size() && i < call.output_size(); ++i)
    if (const std::int64_t tensor = inner.find(function.output(i)); tensor >= 0)
      scope.put(call.output(i), tensor);
}

void GraphEvaluation::warn(const std::string& message, const std::string& hint) {
  diagnostics_.warning(mark_, message, hint);
}

GraphEvaluation::Written GraphEvaluation::take_back(const Progress& to) {
  Written written;
  const auto move_end = [](auto& list, std::size_t first, auto& end) {
    const auto from = list.begin() + static_cast<std::ptrdiff_t>(first);
    end.assign(std::make_move_iterator(from), std::make_move_iterator(list.end()));
    list.erase(from, list.end());
  };
  move_end(network_.nodes, to.nodes, written.nodes);
  move_end(network_.tensors, to.tensors, written.tensors);
  const auto first_weight =
      std::find_if(network_.weights.begin(), network_.weights.end(),
                   [&](std::int64_t tensor) { return tensor >= static_cast<std::int64_t>(to.tensors); });
  move_end(network_.weights, static_cast<std::size_t>(first_weight - network_.weights.begin()),
           written.weights);
  written.problems = diagnostics_.take_from(to.problems);
  return written;
}

void GraphEvaluation::put_back(Written written) {
  const auto append = [](auto& list, auto& end) {
    list.insert(list.end(), std::make_move_iterator(end.begin()), std::make_move_iterator(end.end()));
  };
  append(network_.nodes, written.nodes);
  append(network_.tensors, written.tensors);
  append(network_.weights, written.weights);
  for (Diagnostic& problem : written.problems) diagnostics_.add(std::move(problem));
}

void GraphEvaluation::report(const NodeProblem& problem, const std::string& name,
                             const std::string& op_type) {
  diagnostics_.error(mark_, fmt::format("node '{}' ({}): {}", name, op_type, problem.what()),
                     problem.hint());
}

const std::vector<std::int64_t>* FollowedNode::integers(std::int64_t index) const {
  const auto& values = tensor(index).values;
  return values ? std::get_if<std::vector<std::int64_t>>(values.get()) : nullptr;
}

std::int64_t FollowedNode::input_or_none(int i) const {
  if (!has_input(i)) return -1;
  const std::int64_t found = evaluation_.find(node_.input(i), scope_);
  if (found < 0) throw NodeProblem(fmt::format("its input '{}' is produced by no node", node_.input(i)));
  return found;
}

const onnx::GraphProto& FollowedNode::graph(const char* attribute) const {
  const onnx::AttributeProto* const found = Attributes(node_, nullptr).find(attribute);
  if (found == nullptr || !found->has_g())
    throw NodeProblem(fmt::format("the attribute '{}', which holds a graph, is missing", attribute));
  return found->g();
}

Surroundings FollowedNode::inside(const std::string& suffix) const {
  Surroundings inner = around_;
  inner.prefix += name_ + "/";
  inner.suffix += suffix;
  ++inner.depth;
  return inner;
}

std::int64_t FollowedNode::add_number(std::string name, ElementType type, std::int64_t value) const {
  Tensor number;
  number.name = std::move(name);
  number.type = number.stored = type;
  number.stored_bits = bits_of(type);
  number.shape.emplace();
  number.values = std::make_shared<const Values>(std::vector<std::int64_t>{value});
  number.constant = true;
  return evaluation_.add_tensor(std::move(number));
}

}  // namespace zz::core::onnx_import
