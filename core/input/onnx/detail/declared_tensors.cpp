#include "core/input/onnx/detail/declared_tensors.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/input/onnx/tensor.hpp"

namespace zz::core::onnx_import {
namespace {

template <class Lengths>
void set_type_and_shape(Tensor& tensor, int type, const Lengths& lengths) {
  tensor.type = tensor.stored = element_type(type);
  tensor.stored_bits = bits_of(tensor.type);
  tensor.constant = true;
  tensor.shape.emplace(lengths.begin(), lengths.end());
}

}  // namespace

Tensor declared_input(const onnx::ValueInfoProto& input, OpenLengths& lengths) {
  const auto& declared = input.type().tensor_type();
  Tensor tensor;
  tensor.name = input.name();
  tensor.type = tensor.stored = element_type(declared.elem_type());
  tensor.stored_bits = bits_of(tensor.type);
  if (!declared.has_shape()) {
    tensor.unknown_because = "the file does not state the axes of this input";
    return tensor;
  }
  tensor.shape.emplace();
  for (const auto& axis : declared.shape().dim()) {
    const std::size_t place = tensor.shape->size();
    const std::string by_axis = fmt::format("{}:{}", input.name(), place);
    const std::string& name = axis.dim_param().empty() ? by_axis : axis.dim_param();
    std::int64_t length = axis.has_dim_value() && axis.dim_value() >= 0 ? axis.dim_value() : unknown_length;
    // Exporters fix the batch at one; what is given for an axis of an input comes before what the file
    // says.
    if (const std::int64_t given = lengths.given(by_axis); given != unknown_length) length = given;
    if (length == unknown_length) length = lengths.given(name);
    if (length == unknown_length) {
      lengths.add(name, fmt::format("axis {} of input '{}'", place, input.name()));
      tensor.unknown_because = fmt::format("the file leaves axis {} ('{}') of input '{}' open", place,
                                           axis.dim_param(), input.name());
    }
    tensor.shape->push_back(length);
  }
  return tensor;
}

void set_given_values(Tensor& tensor, const Values& given) {
  const auto* const integers = std::get_if<std::vector<std::int64_t>>(&given);
  const std::size_t count = std::visit([](const auto& list) { return list.size(); }, given);
  const bool takes_integers = is_integral(tensor.type);
  if (!takes_integers && !is_floating(tensor.type))
    throw NodeProblem(fmt::format("cannot be given: its type is {}", name_of(tensor.type)));
  if (takes_integers && integers == nullptr)
    throw NodeProblem(fmt::format("is no whole number, but its type is {}", name_of(tensor.type)));
  if (!tensor.shape) tensor.shape = count == 1 ? Shape{} : Shape{static_cast<std::int64_t>(count)};
  // A length that nobody gives is a problem of its own.
  if (tensor.has_full_shape() && static_cast<std::size_t>(tensor.elements()) != count)
    throw NodeProblem(
        fmt::format("has {} elements, but its shape {} has {}", count,
                    tensor.shape->empty() ? "of no axes" : fmt::format("{}", fmt::join(*tensor.shape, "x")),
                    tensor.elements()));
  if (takes_integers || integers == nullptr)
    tensor.values = std::make_shared<const Values>(given);
  else
    tensor.values = std::make_shared<const Values>(std::vector<double>(integers->begin(), integers->end()));
}

void declare_initialiser(const onnx::TensorProto& initialiser, Tensor& tensor) {
  set_type_and_shape(tensor, initialiser.data_type(), initialiser.dims());
  tensor.values = read_values(initialiser);
}

void declare_initialiser(const onnx::SparseTensorProto& initialiser, Tensor& tensor) {
  set_type_and_shape(tensor, initialiser.values().data_type(), initialiser.dims());
}

namespace {

template <std::size_t n>
bool one_of(std::string_view name, const std::string_view (&names)[n]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Whose results are parameters when their first input is: they move elements, or look at each alone.
constexpr std::string_view handing_on[] = {
    "Transpose",        "Reshape",        "Identity", "Squeeze", "Unsqueeze", "Flatten", "Cast", "Exp",
    "DequantizeLinear", "QuantizeLinear", "Concat",   "Split",   "Slice",     "Expand",  "Neg",  "Sqrt"};
constexpr std::string_view elementwise[] = {"Add",   "Mul",   "Sub", "Div", "Pow",
                                            "PRelu", "Where", "Max", "Min"};
/// Whose first inputs are data; all others are parameters.
constexpr std::string_view with_one_data_input[] = {"Conv",
                                                    "ConvTranspose",
                                                    "ConvInteger",
                                                    "QLinearConv",
                                                    "DeformConv",
                                                    "FusedConv",
                                                    "Gemm",
                                                    "QGemm",
                                                    "FusedGemm",
                                                    "BatchNormalization",
                                                    "InstanceNormalization",
                                                    "GroupNormalization",
                                                    "LayerNormalization",
                                                    "RMSNormalization",
                                                    "SimplifiedLayerNormalization",
                                                    "MatMul",
                                                    "MatMulInteger",
                                                    "FusedMatMul",
                                                    "QLinearMatMul",
                                                    "MatMulNBits",
                                                    "MatMulNBitsMlp",
                                                    "MatMulNBitsQkv",
                                                    "MatMulBnb4",
                                                    "GemmFloat8",
                                                    "GemmFastGelu",
                                                    "CausalConvWithState",
                                                    "Einsum",
                                                    "BiasGelu",
                                                    "MoE",
                                                    "QMoE"};

/// Shapes that data seldom have.
struct Form {
  bool is_vector = false;  ///< one axis or none, or [channels, 1, 1]: a factor for each channel
  bool is_row = false;     ///< [1, 1, features]: an element that is put before a sequence
};

bool has_fixed_lengths(const onnx::TypeProto_Tensor& type) {
  return type.has_shape() && std::all_of(type.shape().dim().begin(), type.shape().dim().end(),
                                         [](const auto& axis) { return axis.dim_value() > 0; });
}

/// Positions and words are whole numbers.
bool may_be_parameter(const onnx::ValueInfoProto& input) {
  const auto& type = input.type().tensor_type();
  const ElementType element = element_type(type.elem_type());
  return has_fixed_lengths(type) && element != ElementType::int64 && element != ElementType::int32;
}

/// Who reads each tensor of a model: node and input. Bodies and functions are read through.
class Readers {
 public:
  explicit Readers(const onnx::ModelProto& model) {
    for (const auto& function : model.functions())
      functions_[function.domain() + ":" + function.name()] = &function;
    for (const auto& node : model.graph().node()) add(node, "");
    for (const auto& input : model.graph().input())
      if (!may_be_parameter(input)) data_.insert(input.name());
    for (const auto& tensor : model.graph().initializer()) data_.erase(tensor.name());
  }

  /// True when a product takes it as its weights, directly or after elements were moved or unpacked.
  bool is_multiplied(const std::string& tensor, int depth = 0) const {
    const auto found = readers_.find(tensor);
    if (found == readers_.end() || depth > 5) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](const auto& reader) {
      const auto& [node, input] = reader;
      if (one_of(node->op_type(), with_one_data_input)) return input > 0;
      const bool hands_on =
          input == 0 && (one_of(node->op_type(), handing_on) || node->op_type().ends_with("Quant"));
      return hands_on && node->output_size() > 0 && is_multiplied(node->output(0), depth + 1);
    });
  }

  /// True when every reader takes it as a parameter, and there is one.
  bool is_parameter(const std::string& tensor, const Form& form, int depth = 0) const {
    const auto found = readers_.find(tensor);
    if (found == readers_.end() || depth > 50) return false;
    // Each tensor is looked at once for a form: paths through a graph may be many.
    auto& answers = answers_[(form.is_vector ? 1U : 0U) + (form.is_row ? 2U : 0U)];
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
    if (one_of(type, with_one_data_input)) return input > 0;
    if (type == "LSTM" || type == "GRU" || type == "RNN" || type == "DynamicQuantizeLSTM")
      return input >= 1 && input <= 3;
    if (type == "Attention" && node.domain() == "com.microsoft") return input == 1 || input == 2;
    if (type == "SkipLayerNormalization" || type == "SkipSimplifiedLayerNormalization") return input >= 2;
    if (type == "EmbedLayerNormalization") return input >= 2 && input <= 6;
    if (type == "GatherBlockQuantized" || type == "RotaryEmbedding")
      return type == "RotaryEmbedding" ? input >= 2 : input != 1;
    if (type == "GroupQueryAttention") return input >= 7;
    if (type == "Gather") return input == 0;
    if (one_of(type, elementwise)) return form.is_vector || input > 0;
    if (type == "Expand" && input == 0 && form.is_row) return true;
    if (one_of(type, handing_on)) {
      if (input > 0 && type != "Concat") return true;
      return std::all_of(node.output().begin(), node.output().end(),
                         [&](const std::string& output) { return is_parameter(output, form, depth + 1); });
    }
    return false;
  }

  /// False for initialisers and for inputs that may be parameters, also when their elements are only moved.
  bool is_computed(std::string tensor) const {
    for (int step = 0; step < 50; ++step) {
      const auto producer = producers_.find(tensor);
      if (producer == producers_.end()) return data_.count(tensor) != 0;
      if (!one_of(producer->second->op_type(), handing_on) || producer->second->input().empty())
        return producer->second->op_type() != "Constant";
      tensor = producer->second->input(0);
    }
    return true;
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
  std::unordered_set<std::string> data_;  // inputs that cannot be parameters
  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;
  mutable std::array<std::unordered_map<std::string, bool>, 4> answers_;  // by form
};

Form form_of(const onnx::TensorShapeProto& shape) {
  const int axes = shape.dim_size();
  int ones = 0;
  for (const auto& axis : shape.dim()) ones += axis.dim_value() == 1 ? 1 : 0;
  const auto is_one = [&](int axis) { return shape.dim(axis).dim_value() == 1; };
  return {axes <= 1 || (axes > 2 && ones == axes - 1 && !is_one(0)),
          axes > 2 && ones == axes - 1 && !is_one(axes - 1)};
}

}  // namespace

std::unordered_set<std::string> parameter_inputs(const onnx::ModelProto& model) {
  const Readers readers(model);
  std::unordered_set<std::string> initialisers, found;
  for (const auto& tensor : model.graph().initializer()) {
    // A file that has weights hands in data alone: caches and masks of fixed length among them.
    if (tensor.dims_size() >= 2 && readers.is_multiplied(tensor.name())) return {};
    initialisers.insert(tensor.name());
  }
  for (const auto& input : model.graph().input()) {
    if (initialisers.count(input.name()) != 0 || !input.type().has_tensor_type()) continue;
    const auto& type = input.type().tensor_type();
    if (has_fixed_lengths(type) && readers.is_parameter(input.name(), form_of(type.shape())))
      found.insert(input.name());
  }
  return found;
}

}  // namespace zz::core::onnx_import
