#include "core/input/onnx/parameter_inputs.hpp"

#include <algorithm>
#include <onnx/onnx_pb.h>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/input/onnx/element_type.hpp"

namespace zz::core::onnx_import {
namespace {

template <std::size_t n>
bool one_of(std::string_view name, const std::string_view (&names)[n]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

constexpr std::string_view rearranging[] = {
    "Transpose",        "Reshape",        "Identity", "Squeeze", "Unsqueeze", "Flatten", "Cast",
    "DequantizeLinear", "QuantizeLinear", "Concat",   "Split",   "Slice",     "Expand"};
constexpr std::string_view elementwise[] = {"Add",   "Mul", "Sub", "Div", "Pow", "PRelu",
                                            "Where", "Max", "Min", "Exp", "Neg", "Sqrt"};
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
                                                    "Einsum",
                                                    "BiasGelu",
                                                    "MoE",
                                                    "QMoE"};

/// Who reads each tensor of a model: node and input. Bodies and functions are read through.
class Readers {
 public:
  explicit Readers(const onnx::ModelProto& model) {
    for (const auto& function : model.functions())
      functions_[function.domain() + ":" + function.name()] = &function;
    for (const auto& node : model.graph().node()) add(node, "");
  }

  /// True when every reader takes it as a parameter, and there is one.
  bool is_parameter(const std::string& tensor, bool is_short, int depth = 0) const {
    const auto found = readers_.find(tensor);
    if (found == readers_.end() || depth > 50) return false;
    return std::all_of(found->second.begin(), found->second.end(), [&](const auto& reader) {
      return takes_parameter(*reader.first, reader.second, is_short, depth);
    });
  }

 private:
  using Reader = std::pair<const onnx::NodeProto*, int>;

  void add(const onnx::NodeProto& node, const std::string&) {
    for (int i = 0; i < node.input_size(); ++i) readers_[node.input(i)].emplace_back(&node, i);
    for (const auto& attribute : node.attribute()) {
      for (const auto& inner : attribute.g().node()) add(inner, "");
    }
  }

  bool takes_parameter(const onnx::NodeProto& node, int input, bool is_short, int depth) const {
    const std::string& type = node.op_type();
    if (const auto function = functions_.find(node.domain() + ":" + type); function != functions_.end())
      return is_function_parameter(*function->second, input, is_short);
    if (one_of(type, with_one_data_input)) return input > 0 || type == "MatMul";
    if (type == "LSTM" || type == "GRU" || type == "RNN" || type == "DynamicQuantizeLSTM")
      return input >= 1 && input <= 3;
    if (type == "Attention" && node.domain() == "com.microsoft") return input == 1 || input == 2;
    if (type == "SkipLayerNormalization" || type == "SkipSimplifiedLayerNormalization") return input >= 2;
    if (type == "EmbedLayerNormalization") return input >= 2 && input <= 6;
    if (type == "GatherBlockQuantized" || type == "RotaryEmbedding")
      return type == "RotaryEmbedding" ? input >= 2 : input != 1;
    if (type == "GroupQueryAttention") return input >= 7;
    if (type == "Gather") return input == 0;
    if (one_of(type, elementwise)) return is_short || input > 0;
    if (one_of(type, rearranging)) {
      if (input > 0 && type != "Concat") return true;
      return std::all_of(node.output().begin(), node.output().end(), [&](const std::string& output) {
        return is_parameter(output, is_short, depth + 1);
      });
    }
    return false;
  }

  bool is_function_parameter(const onnx::FunctionProto& function, int input, bool is_short) const {
    if (input >= function.input_size()) return false;
    Readers inner;
    inner.functions_ = functions_;
    for (const auto& node : function.node()) inner.add(node, "");
    return inner.is_parameter(function.input(input), is_short);
  }

  Readers() = default;

  std::unordered_map<std::string, std::vector<Reader>> readers_;
  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;
};

bool has_fixed_lengths(const onnx::TypeProto_Tensor& type) {
  return type.has_shape() && std::all_of(type.shape().dim().begin(), type.shape().dim().end(),
                                         [](const auto& axis) { return axis.dim_value() > 0; });
}

}  // namespace

std::unordered_set<std::string> parameter_inputs(const onnx::ModelProto& model) {
  const Readers readers(model);
  std::unordered_set<std::string> initialisers, found;
  for (const auto& tensor : model.graph().initializer()) initialisers.insert(tensor.name());
  for (const auto& input : model.graph().input()) {
    if (initialisers.count(input.name()) != 0 || !input.type().has_tensor_type()) continue;
    const auto& type = input.type().tensor_type();
    if (has_fixed_lengths(type) && readers.is_parameter(input.name(), type.shape().dim_size() <= 1))
      found.insert(input.name());
  }
  return found;
}

}  // namespace zz::core::onnx_import
