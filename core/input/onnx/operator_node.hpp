#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/input/onnx/tensor.hpp"

// The messages of ONNX files: <onnx/onnx_pb.h> has them, and takes long to compile.
namespace onnx {
class AttributeProto;
class FunctionProto;
class GraphProto;
class ModelProto;
class NodeProto;
class SparseTensorProto;
class TensorProto;
class ValueInfoProto;
}  // namespace onnx

namespace zz::core::onnx_import {

/// A node that cannot be read. Thrown while one node is read, and turned into a diagnostic that names the
/// node, so that a file's other nodes are still looked at.
class NodeProblem : public std::runtime_error {
 public:
  explicit NodeProblem(const std::string& message, std::string hint = "", std::string cause = "")
      : std::runtime_error(message), hint_(std::move(hint)), cause_(std::move(cause)) {}
  const std::string& hint() const { return hint_; }
  /// The same for all nodes that one remedy helps; "" for a problem of its own.
  const std::string& cause() const { return cause_; }

 private:
  std::string hint_, cause_;
};

/// The problem of a node whose attribute holds too small a value.
NodeProblem below_smallest(const std::string& attribute, std::int64_t value, std::int64_t smallest);

/// Attributes by name that the call of a function gives the function's body. Borrows the model.
using CallAttributes = std::unordered_map<std::string, const onnx::AttributeProto*>;

/// The attributes of a node. Where the node stands in the body of a function, an attribute may refer to one
/// of the call. Borrows the model and the call's attributes.
class Attributes {
 public:
  Attributes(const onnx::NodeProto& node, const CallAttributes* call) : node_(node), call_(call) {}

  /// All attributes, in the order of the file; empty where it is no number, text or list of numbers.
  using Content = std::variant<std::monostate, std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>>;
  std::vector<std::pair<std::string, Content>> all() const;
  /// The attribute, or nullptr when neither node nor call give it.
  const onnx::AttributeProto* find(const std::string& name) const;

  // Each gives `otherwise`, or nothing, when the attribute is absent, and throws NodeProblem when it is
  // of another type.
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  double real(const std::string& name, double otherwise) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::optional<std::vector<std::int64_t>> integers(const std::string& name) const;

  /// Throws NodeProblem when the attribute is absent.
  std::int64_t required_integer(const std::string& name) const;

 private:
  const onnx::NodeProto& node_;
  const CallAttributes* call_;
};

/// A node as its operator sees it: attributes, what is known of the inputs, and the outputs, which the
/// operator fills in. Borrows everything.
class OperatorNode {
 public:
  /// `filled_in` are the outputs while they are worked out, and empty for a node whose outputs are known.
  OperatorNode(const std::string& op_type, Attributes attributes, std::int64_t operator_set,
               std::vector<const Tensor*> inputs, std::vector<const Tensor*> outputs,
               std::vector<Tensor*> filled_in = {})
      : op_type_(op_type),
        attributes_(attributes),
        operator_set_(operator_set),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        filled_in_(std::move(filled_in)) {}

  const std::string& op_type() const { return op_type_; }
  const Attributes& attributes() const { return attributes_; }
  std::int64_t operator_set() const { return operator_set_; }  ///< version of the operator's domain

  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  /// False for inputs that are left out, at the end or by an empty name.
  bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  bool has_output(std::size_t i) const { return i < outputs_.size() && outputs_[i] != nullptr; }

  /// Throws NodeProblem when the input is left out.
  const Tensor& input(std::size_t i) const;
  /// The output as filled in so far; an operator's products look at it. Throws as input() does.
  const Tensor& output(std::size_t i) const;

  // Facts known of an input; nothing for one that is left out.
  ElementType type(std::size_t i) const { return has_input(i) ? inputs_[i]->type : ElementType::unknown; }
  /// Its shape, with unknown lengths; nullptr when the number of axes is unknown.
  const Shape* shape(std::size_t i) const;
  std::optional<Shape> shape_if_known(std::size_t i) const;
  /// Its elements as integers or as numbers; nullptr when they are unknown or of the other kind.
  const std::vector<std::int64_t>* integers(std::size_t i) const;
  const std::vector<double>* numbers(std::size_t i) const;

  /// A list of integers that is an input since some operator set and was an attribute before. Nothing when
  /// it is not known.
  std::optional<std::vector<std::int64_t>> list(std::size_t input, const char* attribute) const;

  /// The full shape of an input or output. Throws NodeProblem that says why it is unknown.
  const Shape& full_shape(std::size_t input) const { return full_shape_of(this->input(input)); }
  const Shape& full_output_shape(std::size_t output) const { return full_shape_of(this->output(output)); }

  // Fill in an output; they do nothing for one that is left out. Numbers get the precision of the type that
  // was set before.
  void set(std::size_t output, ElementType type, std::optional<Shape> shape) const;
  void set_values(std::size_t output, std::shared_ptr<const Values> values) const;
  void set_integers(std::size_t output, std::vector<std::int64_t> values) const;
  /// Its elements are kept in that many bits, whatever their type is.
  void set_stored_bits(std::size_t output, std::int64_t bits) const;
  /// Says why lengths of the outputs are unknown.
  void unknown_because(const std::string& reason) const;

 private:
  static const Shape& full_shape_of(const Tensor& tensor);

  const std::string& op_type_;
  Attributes attributes_;
  std::int64_t operator_set_;
  std::vector<const Tensor*> inputs_;
  std::vector<const Tensor*> outputs_;
  std::vector<Tensor*> filled_in_;
};

/// `axis` counted from the front. Throws NodeProblem when a tensor of that many axes has none such.
std::size_t axis_from_front(std::int64_t axis, std::size_t axes);

/// Several axes so.
std::vector<std::size_t> axes_from_front(const std::vector<std::int64_t>& axes, std::size_t count);

/// The shape of an operation element by element on tensors of both shapes: axes are aligned at the end,
/// length 1 is repeated. Throws NodeProblem when two lengths contradict each other.
Shape broadcast(const Shape& a, const Shape& b);

/// Scale and zero point of each block of elements where the node has a `block_size`: of the types of these
/// inputs, of which the zero points may be absent. Blocks of weights are along the axis that is summed up.
BlockScale scale_of_blocks(const OperatorNode& node, std::size_t scales, std::size_t zero_points,
                           std::int64_t element_bits);

}  // namespace zz::core::onnx_import
