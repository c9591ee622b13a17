#include "core/input/onnx/detail/parameter_inputs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <onnx/onnx_pb.h>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/input/onnx/operator_node.hpp"
#include "core/input/onnx/operators/operator.hpp"
#include "core/input/onnx/tensor.hpp"

namespace zz::core::onnx_import {
namespace {

template <std::size_t n>
bool one_of(std::string_view name, const std::string_view (&names)[n]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Whose results are parameters when their first input is: they move elements, or look at each alone.
constexpr std::string_view handing_on[] = {
    "Transpose",        "Reshape",        "Identity", "Squeeze", "Unsqueeze", "Flatten", "Cast", "Exp",
    "DequantizeLinear", "QuantizeLinear", "Concat",   "Split",   "Slice",     "Expand",  "Neg",  "Sqrt",
    "CastLike"};
/// Those that only move.
constexpr std::string_view moving[] = {"Transpose", "Reshape", "Identity", "Squeeze",
                                       "Unsqueeze", "Flatten", "Split",    "Slice"};
constexpr std::string_view elementwise[] = {"Add",   "Mul",   "Sub", "Div", "Pow",
                                            "PRelu", "Where", "Max", "Min"};
/// Beside products: whose first inputs are data, and all others parameters.
constexpr std::string_view with_one_data_input[] = {"BatchNormalization",
                                                    "InstanceNormalization",
                                                    "GroupNormalization",
                                                    "LayerNormalization",
                                                    "RMSNormalization",
                                                    "SimplifiedLayerNormalization",
                                                    "BiasGelu"};

/// Operators either input of which may be the matrix.
constexpr std::string_view products_of_two[] = {"MatMul", "MatMulInteger", "FusedMatMul", "QLinearMatMul",
                                                "Gemm",   "FusedGemm",     "QGemm",       "Einsum"};
/// True if that input holds the weights or biases of a product; those of attention and of states that are
/// kept are data.
bool takes_weights(const onnx::NodeProto& node, int input) {
  const Operator* const known = find_operator(node.domain(), node.op_type());
  if (known == nullptr || known->work != Operator::Work::products) return false;
  const std::string_view type = known->name;
  if (type == "LSTM" || type == "GRU" || type == "RNN" || type == "DynamicQuantizeLSTM")
    return input >= 1 && input <= 3;
  if (known->domain == microsoft_domain && (type == "Attention" || type == "QAttention"))
    return input == 1 || input == 2;
  if (type.find("Attention") != std::string_view::npos || type == "GatedDeltaNet") return false;
  if (type == "CausalConvWithState") return input == 1 || input == 2;
  if (type == "DeformConv") return input == 1 || input == 3;
  if (type == "MoE" || type == "QMoE") return input > 1;  // behind the choice of experts
  return input > 0;
}

/// Knowledge of a tensor of the file before it runs, as far as weights go.
struct Known {
  bool constant = false;   ///< nothing but the file determines it
  bool is_weight = false;  ///< elements of an initialiser or a Constant with several axes are in it
  bool is_matrix = false;  ///< two of those axes have more than one place
  std::vector<std::int64_t> lengths;  ///< of a Reshape, if it may be a list of them
};

/// Looks for a product that takes weights of the file's own: initialisers and Constants, moved, unpacked,
/// scaled, added up or computed with constants alone. Functions are read through, call by call.
class OwnWeights {
 public:
  explicit OwnWeights(const onnx::ModelProto& model) {
    for (const auto& function : model.functions())
      functions_[function.domain() + ":" + function.name()] = &function;
    Scope scope;
    found_ = look_at(model.graph(), scope, 0);
  }

  bool found() const { return found_; }

 private:
  using Scope = std::unordered_map<std::string, Known>;
  static constexpr int deepest_call = 50;

  static Known known_of(const onnx::TensorProto& tensor) {
    Known known = known_of(std::vector<std::int64_t>(tensor.dims().begin(), tensor.dims().end()));
    constexpr std::int64_t most_axes = 16;
    if (tensor.data_type() == onnx::TensorProto::INT64 && tensor.dims_size() == 1 &&
        tensor.dims(0) <= most_axes)
      known.lengths = list_in(tensor);
    return known;
  }

  static Known known_of(const std::vector<std::int64_t>& lengths) {
    const auto longer =
        std::count_if(lengths.begin(), lengths.end(), [](std::int64_t length) { return length != 1; });
    return {true, lengths.size() >= 2, longer >= 2, {}};
  }

  static std::vector<std::int64_t> list_in(const onnx::TensorProto& tensor) {
    try {
      const auto values = read_values(tensor);
      const auto* const list =
          values != nullptr ? std::get_if<std::vector<std::int64_t>>(values.get()) : nullptr;
      return list != nullptr ? *list : std::vector<std::int64_t>();
    } catch (const NodeProblem&) {
      return {};  // reported where it is read
    }
  }

  bool look_at(const onnx::GraphProto& graph, Scope& scope, int depth) {
    for (const auto& tensor : graph.initializer()) scope[tensor.name()] = known_of(tensor);
    for (const auto& tensor : graph.sparse_initializer())
      scope[tensor.values().name()] = {true, tensor.dims_size() >= 2, tensor.dims_size() >= 2, {}};
    return look_at(graph.node(), scope, depth);
  }

  /// Files seldom list a node before those that it reads; each more pass follows a chain that does.
  template <class Nodes>
  bool look_at(const Nodes& nodes, Scope& scope, int depth) {
    constexpr int most_passes = 64;
    for (int pass = 0; pass < most_passes; ++pass) {
      const std::size_t before = scope.size();
      for (const onnx::NodeProto& node : nodes)
        if (look_at(node, scope, depth)) return true;
      if (scope.size() == before) break;
    }
    return false;
  }

  bool look_at(const onnx::NodeProto& node, Scope& scope, int depth) {
    Known result{true, false, false, {}};
    std::string call = node.domain() + ":" + node.op_type();
    for (int i = 0; i < node.input_size(); ++i) {
      const Known& input = find(scope, node.input(i));
      if (i == 1 && node.op_type() == "CastLike") continue;  // it tells a type
      result.constant = result.constant && (input.constant || node.input(i).empty());
      result.is_weight = result.is_weight || input.is_weight;
      result.is_matrix = result.is_matrix || input.is_matrix;
      call += input.is_matrix ? 'm' : input.is_weight ? 'w' : input.constant ? 'c' : '-';
    }
    const auto function = functions_.find(node.domain() + ":" + node.op_type());
    if (!result.constant) {
      if (function == functions_.end()) {
        for (int i = 0; i < node.input_size(); ++i)
          if (is_multiplied(node, i, find(scope, node.input(i)))) return true;
      } else if (depth < deepest_call && calls_.insert(call).second) {
        Scope inner;
        for (int i = 0; i < node.input_size() && i < function->second->input_size(); ++i)
          inner[function->second->input(i)] = find(scope, node.input(i));
        if (look_at(function->second->node(), inner, depth + 1)) return true;
      }
    }
    bool has_body = false;
    if (node.op_type() == "Reshape" && node.input_size() == 2 && result.constant)
      if (const auto& lengths = find(scope, node.input(1)).lengths; !lengths.empty())
        result = known_of(lengths);
    // The lengths of what is computed with are known in advance.
    if (node.op_type() == "Shape" || node.op_type() == "Size") result = {true, false, false, {}};
    for (const auto& attribute : node.attribute()) {
      if (node.op_type() == "Constant" && attribute.has_t()) result = known_of(attribute.t());
      if (attribute.name() == "value_ints")
        result.lengths.assign(attribute.ints().begin(), attribute.ints().end());
      if (!attribute.has_g() || depth >= deepest_call) continue;
      has_body = true;
      if (look_at(attribute.g(), scope, depth + 1)) return true;
    }
    if (result.constant && !has_body)
      for (const std::string& output : node.output()) scope.emplace(output, result);
    return false;
  }

  static const Known& find(const Scope& scope, const std::string& name) {
    static const Known nothing;
    const auto found = scope.find(name);
    return found != scope.end() ? found->second : nothing;
  }

  /// True if a node with data takes this input of it as the weights of a product.
  static bool is_multiplied(const onnx::NodeProto& node, int input, const Known& known) {
    const std::string& type = node.op_type();
    if (!known.is_weight) return false;
    // A matrix may stand on either side; a row of frequencies that positions are spread over is none.
    if (one_of(type, products_of_two) && input == 0) return known.is_matrix;
    return takes_weights(node, input);
  }

  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;
  std::unordered_set<std::string> calls_;  // functions with what is known of their inputs
  bool found_ = false;
};

/// Declared form of an input.
struct Form {
  enum class Numbers { real, of_a_byte, whole };

  // Shapes that data seldom have.
  bool is_vector = false;  ///< one axis or none, or [channels, 1, 1]: a factor for each channel
  bool is_row = false;     ///< [1, 1, features]: an element that is put before a sequence
  Numbers numbers = Numbers::real;

  bool is_real() const { return numbers == Numbers::real; }
  bool is_whole() const { return numbers == Numbers::whole; }
  std::size_t index() const {
    return (is_vector ? 1U : 0U) + (is_row ? 2U : 0U) + 4U * static_cast<std::size_t>(numbers);
  }
};

bool has_fixed_lengths(const onnx::TypeProto_Tensor& type) {
  return type.has_shape() && std::all_of(type.shape().dim().begin(), type.shape().dim().end(),
                                         [](const auto& axis) { return axis.dim_value() > 0; });
}

Form::Numbers numbers_of(ElementType type) {
  if (is_floating(type)) return Form::Numbers::real;
  return type != ElementType::boolean && bits_of(type) <= 8 ? Form::Numbers::of_a_byte
                                                            : Form::Numbers::whole;
}

/// Who reads each tensor of a model: node and input. Bodies and functions are read through.
class Readers {
 public:
  explicit Readers(const onnx::ModelProto& model) {
    for (const auto& function : model.functions())
      functions_[function.domain() + ":" + function.name()] = &function;
    for (const auto& node : model.graph().node()) add(node, "");
    for (const auto& input : model.graph().input()) {
      const auto& type = input.type().tensor_type();
      if (!has_fixed_lengths(type))
        open_.insert(input.name());
      else if (numbers_of(element_type(type.elem_type())) == Form::Numbers::whole)
        whole_.insert(input.name());
    }
    for (const auto& tensor : model.graph().initializer()) {
      open_.erase(tensor.name());
      whole_.erase(tensor.name());
    }
  }

  /// True when every reader takes it as a parameter, and there is one.
  bool is_parameter(const std::string& tensor, const Form& form, int depth = 0) const {
    const auto found = readers_.find(tensor);
    if (found == readers_.end() || depth > 50) return false;
    // Each tensor is looked at once for a form: paths through a graph may be many.
    auto& answers = answers_[form.index()];
    const auto [answer, is_new] = answers.emplace(tensor, false);
    if (!is_new) return answer->second;
    const bool all = std::all_of(found->second.begin(), found->second.end(), [&](const auto& reader) {
      return takes_parameter(*reader.first, reader.second, form, depth);
    });
    answers[tensor] = all;
    return all;
  }

 private:
  using Reader = std::pair<const onnx::NodeProto*, int>;

  void add(const onnx::NodeProto& node, const std::string&) {
    for (int i = 0; i < node.input_size(); ++i) readers_[node.input(i)].emplace_back(&node, i);
    for (const std::string& output : node.output()) producers_[output] = &node;
    for (const auto& attribute : node.attribute()) {
      for (const auto& inner : attribute.g().node()) add(inner, "");
    }
  }

  bool takes_parameter(const onnx::NodeProto& node, int input, const Form& form, int depth) const {
    const std::string& type = node.op_type();
    if (const auto function = functions_.find(node.domain() + ":" + type); function != functions_.end())
      return is_function_parameter(*function->second, input, form);
    // A matrix may stand on either side of what is computed.
    if (type == "MatMul" && input == 0) return node.input_size() > 1 && is_computed(node.input(1));
    if (takes_weights(node, input)) return true;
    // Masks, places and lengths are whole numbers, and come to be computed with; weights are multiplied as
    // they are, or have a scale.
    if (form.is_whole()) {
      const bool scales = type == "DequantizeLinear" || type == "QuantizeLinear";
      if (scales && input > 0) return true;
      return (scales || one_of(type, moving)) && input == 0 && hands_on_parameter(node, form, depth);
    }
    if (one_of(type, with_one_data_input)) return input > 0;
    if (type == "SkipLayerNormalization" || type == "SkipSimplifiedLayerNormalization") return input >= 2;
    if (type == "EmbedLayerNormalization") return input >= 2 && input <= 6;
    if (type == "GatherBlockQuantized") return input != 1;
    if (type == "RotaryEmbedding")
      return node.domain() == "com.microsoft" ? input >= 2 : input == 1 || input == 2;
    if (type == "GroupQueryAttention") return input >= 7;
    if (type == "Gather") return input == 0;
    if (one_of(type, elementwise))
      return (form.is_real() && (form.is_vector || input > 0)) ||
             (!is_joined_with_computed(node, input) && hands_on_parameter(node, form, depth));
    if (type == "Expand" && input == 0 && form.is_row) return true;
    if (one_of(type, handing_on))
      return (input > 0 && type != "Concat") || hands_on_parameter(node, form, depth);
    return false;
  }

  bool hands_on_parameter(const onnx::NodeProto& node, const Form& form, int depth) const {
    return std::all_of(node.output().begin(), node.output().end(),
                       [&](const std::string& output) { return is_parameter(output, form, depth + 1); });
  }

  /// False for initialisers and for inputs that may be parameters, also when their elements are moved or
  /// computed with each other.
  bool is_computed(const std::string& tensor, bool is_cast = false, int depth = 0) const {
    const auto producer = producers_.find(tensor);
    // Positions and words are whole numbers.
    if (producer == producers_.end())
      return open_.count(tensor) != 0 || (is_cast && whole_.count(tensor) != 0);
    const onnx::NodeProto& node = *producer->second;
    const std::string& type = node.op_type();
    const bool joins = one_of(type, elementwise);
    if (!joins && (!one_of(type, handing_on) || node.input().empty())) return type != "Constant";
    if (depth > 50) return true;
    const auto [answer, is_new] = computed_[is_cast ? 1 : 0].emplace(tensor, true);
    if (!is_new) return answer->second;
    const bool widens = is_cast || type.starts_with("Cast");
    bool any = false;
    for (int i = 0; i < (joins ? node.input_size() : 1) && !any; ++i)
      any = is_computed(node.input(i), widens, depth + 1);
    computed_[is_cast ? 1 : 0][tensor] = any;
    return any;
  }

  bool is_joined_with_computed(const onnx::NodeProto& node, int input) const {
    for (int i = 0; i < node.input_size(); ++i)
      if (i != input && is_computed(node.input(i))) return true;
    return false;
  }

  bool is_function_parameter(const onnx::FunctionProto& function, int input, const Form& form) const {
    if (input >= function.input_size()) return false;
    Readers inner;
    inner.functions_ = functions_;
    for (const auto& node : function.node()) inner.add(node, "");
    return inner.is_parameter(function.input(input), form);
  }

  Readers() = default;

  std::unordered_map<std::string, std::vector<Reader>> readers_;
  std::unordered_map<std::string, const onnx::NodeProto*> producers_;
  std::unordered_set<std::string> open_;   // inputs with lengths that the file leaves open: data
  std::unordered_set<std::string> whole_;  // inputs of whole numbers
  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;
  mutable std::array<std::unordered_map<std::string, bool>, 12> answers_;  // by form
  mutable std::array<std::unordered_map<std::string, bool>, 2> computed_;  // behind a Cast in the second
};

Form form_of(const onnx::TypeProto_Tensor& type) {
  const onnx::TensorShapeProto& shape = type.shape();
  const int axes = shape.dim_size();
  int ones = 0;
  for (const auto& axis : shape.dim()) ones += axis.dim_value() == 1 ? 1 : 0;
  const auto is_one = [&](int axis) { return shape.dim(axis).dim_value() == 1; };
  return {axes <= 1 || (axes > 2 && ones == axes - 1 && !is_one(0)),
          axes > 2 && ones == axes - 1 && !is_one(axes - 1), numbers_of(element_type(type.elem_type()))};
}

}  // namespace

std::unordered_set<std::string> parameter_inputs(const onnx::ModelProto& model) {
  // A file that has weights hands in data alone: caches and masks of fixed length among them.
  if (OwnWeights(model).found()) return {};
  const Readers readers(model);
  std::unordered_set<std::string> initialisers, found;
  for (const auto& tensor : model.graph().initializer()) initialisers.insert(tensor.name());
  for (const auto& input : model.graph().input()) {
    if (initialisers.count(input.name()) != 0 || !input.type().has_tensor_type()) continue;
    const auto& type = input.type().tensor_type();
    if (has_fixed_lengths(type) && readers.is_parameter(input.name(), form_of(type)))
      found.insert(input.name());
  }
  return found;
}

}  // namespace zz::core::onnx_import
