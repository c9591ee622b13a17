#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <onnx/onnx_pb.h>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/input/onnx/detail/result_completion.hpp"
#include "core/input/onnx/network.hpp"

namespace zz::core::onnx_import {

/// The tensors that names mean within a graph, a body or a function.
class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}
  /// Index of the tensor, or -1.
  std::int64_t find(const std::string& name) const;
  void put(const std::string& name, std::int64_t tensor) { tensors_[name] = tensor; }
  /// All names of this graph, without those of the graphs around it.
  const std::unordered_map<std::string, std::int64_t>& tensors() const { return tensors_; }

 private:
  const Scope* outer_;
  std::unordered_map<std::string, std::int64_t> tensors_;
};

using OperatorSets = std::unordered_map<std::string, std::int64_t>;  ///< versions by domain

/// Where nodes stand.
struct Surroundings {
  std::string prefix;  ///< names around them, as "Loop_79/", or ""
  std::string suffix;  ///< "#2" in the third iteration of a loop, or ""
  const OperatorSets* operator_sets = nullptr;
  const CallAttributes* call = nullptr;  ///< within a function
  int depth = 0;                         ///< of functions and bodies within each other
};

/// Walks over a model once, node by node, and writes down in a Network what runs. Branches and loops are
/// in control_flow.hpp. Problems of nodes are added to the diagnostics; the walk goes on with unknown
/// results. Throws InputError when it would not end within the limits (docs/limits.md).
class GraphEvaluation {
 public:
  /// Nodes that count, and those that are opened: as evaluate_network() or as evaluate_as_zigzag() says.
  enum class Manner { complete, zigzag };

  GraphEvaluation(Network& network, Manner manner, const GivenInputs& given,
                  const ReadOperator& read_operator, SourceMark mark, Diagnostics& diagnostics);

  /// The whole model.
  void run();

  /// Initialisers and nodes of a body; what it reads from outside is found over `scope`.
  void run_graph(const onnx::GraphProto& graph, Scope& scope, const Surroundings& around);

  /// Runs one operator on tensors that are given by their indices, -1 for one that is left out, and returns
  /// those of its results. A reason says that nothing is known of these.
  std::vector<std::int64_t> run_operator(const onnx::NodeProto& proto, const std::string& name,
                                         const Surroundings& around, std::vector<std::int64_t> inputs,
                                         const std::vector<std::string>& results,
                                         const std::string& unknown_because = "");

  Network& network() { return network_; }
  const Network& network() const { return network_; }
  bool as_zigzag() const { return manner_ == Manner::zigzag; }
  /// Index of the tensor that a node reads, or -1. As ZigZag reads files there is one for every name.
  std::int64_t find(const std::string& name, Scope& scope);
  /// Index of the new tensor.
  std::int64_t add_tensor(Tensor tensor);
  /// The length that the user gave under that name, or unknown_length.
  std::int64_t given(const std::string& name) { return lengths_.given(name); }
  void warn(const std::string& message, const std::string& hint = "");
  struct Progress {
    std::size_t nodes, tensors, problems;
  };
  Progress progress() const {
    return {network_.nodes.size(), network_.tensors.size(), diagnostics_.all().size()};
  }
  /// All that was written down since some progress: a branch, say.
  struct Written {
    std::vector<NetworkNode> nodes;
    std::vector<Tensor> tensors;
    std::vector<std::int64_t> weights;
    std::vector<Diagnostic> problems;
  };
  /// Removes it. put_back() undoes that, at the same progress.
  Written take_back(const Progress& to);
  void put_back(Written written);

 private:
  void read_functions();
  void add_inputs(const onnx::GraphProto& graph, Scope& scope);
  void give_values(Tensor& tensor);
  void add_initialisers(const onnx::GraphProto& graph, Scope& scope, const std::string& prefix,
                        const std::string& suffix);
  void run_nodes(const std::vector<const onnx::NodeProto*>& nodes, Scope& scope,
                 const Surroundings& around);
  void run_node(const onnx::NodeProto& proto, std::size_t place, Scope& scope, const Surroundings& around);
  void run_operator(const onnx::NodeProto& proto, const std::string& name, Scope& scope,
                    const Surroundings& around);
  std::vector<std::int64_t> inputs_of(const onnx::NodeProto& proto, Scope& scope);
  void put_results(const onnx::NodeProto& proto, const std::vector<std::int64_t>& results, Scope& scope);
  void put_unknown_results(const onnx::NodeProto& proto, Scope& scope, const Surroundings& around);
  void run_opened(const onnx::NodeProto& proto, const std::string& name, Scope& scope,
                  const Surroundings& around, const std::function<void()>& follow);
  void run_function(const onnx::FunctionProto& function, const onnx::NodeProto& call,
                    const std::string& name, Scope& scope, const Surroundings& around);
  NetworkNode& add_node(const onnx::NodeProto& proto, const std::string& name, const Surroundings& around,
                        std::vector<std::int64_t> inputs, const std::vector<std::string>& results);
  bool ask_for(NetworkNode& node);
  void report(const NodeProblem& problem, const std::string& name, const std::string& op_type);

  Network& network_;
  const Manner manner_;
  OpenLengths lengths_;
  const InputValues& values_;
  const ReadOperator& read_operator_;
  const SourceMark mark_;
  Diagnostics& diagnostics_;
  OperatorSets operator_sets_;
  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;  // by "domain:name"
  std::unordered_map<const onnx::FunctionProto*, OperatorSets> function_sets_;
  StatedShapes stated_;
  const ResultCompletion completion_;
  std::unordered_set<std::string> unknown_operators_;
  bool of_integers_ = false;  // whole numbers stand in the file as floats
};

/// A node that the walk runs itself, because it opens a body or changes sequences of tensors: where it
/// stands, and what it reads. The references must live as long.
class FollowedNode {
 public:
  FollowedNode(GraphEvaluation& evaluation, const onnx::NodeProto& node, const std::string& name,
               Scope& scope, const Surroundings& around)
      : evaluation_(evaluation), node_(node), name_(name), scope_(scope), around_(around) {}

 protected:
  /// With the names around it.
  std::string full_name() const { return around_.prefix + name_ + around_.suffix; }
  std::string full_output_name(int output) const {
    return around_.prefix + node_.output(output) + around_.suffix;
  }

  const Tensor& tensor(std::int64_t index) const {
    return evaluation_.network().tensors[static_cast<std::size_t>(index)];
  }
  /// The integers of a tensor; nullptr when they are not known.
  const std::vector<std::int64_t>* integers(std::int64_t index) const;

  bool has_input(int i) const { return i < node_.input_size() && !node_.input(i).empty(); }
  /// Index of the tensor, or -1 for an input that is left out. Throws NodeProblem when nothing produces it.
  std::int64_t input_or_none(int i) const;

  void put_output(int i, std::int64_t index) {
    if (!node_.output(i).empty()) scope_.put(node_.output(i), index);
  }

  /// The graph that an attribute holds.
  const onnx::GraphProto& graph(const char* attribute) const;

  /// Surroundings of its body; `suffix` tells the times apart that the body runs, and follows those around.
  Surroundings inside(const std::string& suffix) const;

  /// A tensor of one number that is known.
  std::int64_t add_number(std::string name, ElementType type, std::int64_t value) const;

  GraphEvaluation& evaluation_;
  const onnx::NodeProto& node_;
  const std::string& name_;
  Scope& scope_;
  const Surroundings& around_;
};

}  // namespace zz::core::onnx_import
