#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/input/onnx/given_inputs.hpp"
#include "core/input/onnx/operator_node.hpp"
#include "core/input/onnx/operators/operator.hpp"
#include "core/input/onnx/tensor.hpp"

namespace zz::core::onnx_import {

/// One node as it runs: functions are replaced by their bodies, `If` by the branch that is taken, loops by
/// their iterations.
struct NetworkNode {
  std::int64_t id = 0;  ///< index in Network::nodes
  std::string name;     ///< as in the file, or "Op<place in its graph>"; inside functions, loops and
                        ///< branches behind the names around it: "Loop_79/MatMul_87#2"
  std::string op_type;  ///< "Conv", "com.microsoft:MatMulNBits"
  const Operator* known = nullptr;               ///< nullptr for an operator that zz does not know
  std::shared_ptr<const OperatorAnswer> answer;  ///< a stage's word on such a one; may be null
  const onnx::NodeProto* proto = nullptr;
  const CallAttributes* call = nullptr;
  std::int64_t operator_set = 0;  ///< version of the operator's domain
  /// Indices into Network::tensors; -1 for one that is left out.
  std::vector<std::int64_t> inputs, outputs;
};

/// A network with all that is known before it runs. Tensors and nodes are in an order in which they can be
/// computed.
struct Network {
  std::shared_ptr<const onnx::ModelProto> model;  ///< nodes point into it
  std::vector<std::shared_ptr<const CallAttributes>> calls;
  std::vector<Tensor> tensors;
  std::vector<NetworkNode> nodes;
  std::vector<std::int64_t> inputs;   ///< tensors that are given at run time, without weights
  std::vector<std::int64_t> weights;  ///< initialisers and inputs that only serve as parameters
  std::vector<std::int64_t> outputs;
  /// Names of results of functions, branches and loops in the outermost graph, by name, with the index of
  /// their tensor, which has the name of what computes it.
  std::vector<std::pair<std::string, std::int64_t>> other_names;

  /// The loop nests of a node; none for one without products, and for one whose results the file alone
  /// determines: they are computed once, before the first run. Throws NodeProblem when a shape that they
  /// need is unknown.
  std::vector<Product> products(const NetworkNode& node) const;
  /// A node whose outputs are known, as its operator sees it.
  OperatorNode view(const NetworkNode& node) const;
  /// The same for the operator to fill in the outputs.
  OperatorNode view_to_fill_in(const NetworkNode& node);
};

/// Evaluates the model with what is given of its inputs: types, shapes, and values of small tensors of
/// integers.
///
/// Throws InputError with all lengths that are open, all names of `given` that mean nothing, and every
/// node that cannot be; an unknown operator makes its own results unknown. An `If` that depends on
/// data takes the branch with more multiply-accumulates, with a warning. Loops need a number of trips that
/// is known, or given as "NODE:trips", if there are products inside.
///
/// `read_operator`, if there is one, is asked for nodes of unknown operators.
Network evaluate_network(std::shared_ptr<const onnx::ModelProto> model, const GivenInputs& given,
                         const SourceMark& mark, Diagnostics& diagnostics,
                         const ReadOperator& read_operator = {});

/// Evaluates the model as ZigZag and Stream read it. A batch size that is left open is 1, with a warning;
/// other lengths stay open. Shapes that the file states count, with one warning about those that do not
/// follow from the operators. Of an `If` the branch with the most nodes is taken, with a warning. Loops and
/// calls of functions are nodes of an unknown operator, whatever is in them. Tensors that the file does not
/// tell of are accepted. Throws InputError as evaluate_network() does.
Network evaluate_as_zigzag(std::shared_ptr<const onnx::ModelProto> model, const SourceMark& mark,
                           Diagnostics& diagnostics);

/// Loads an ONNX file and evaluates it. Weights outside of the file are not opened. Throws InputError as
/// load_model() and evaluate_network() do, and for a network with products all of whose results are
/// constant.
Network read_network(const std::string& path, const GivenInputs& given, Diagnostics& diagnostics,
                     const ReadOperator& read_operator = {}, const Files& files = Files::on_disk());

Network read_as_zigzag(const std::string& path, Diagnostics& diagnostics,
                       const Files& files = Files::on_disk());

/// Why a node has no cost when nobody knows its operator.
inline constexpr const char* unknown_operator = "the operator is unknown";
bool has_unknown_operator(const NetworkNode& node);

/// The multiply-accumulates of a node; 0 for an operator without products, and none where the operator or a
/// shape that they need is unknown.
std::optional<std::int64_t> mac_count(const Network& network, const NetworkNode& node);

}  // namespace zz::core::onnx_import
