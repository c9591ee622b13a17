#include "core/input/onnx/reading_deviations.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace zz::core {
namespace {

constexpr std::string_view zigzag_types[] = {"Conv", "QLinearConv", "Gemm", "MatMul"};
/// As the layers for several cores are called.
constexpr std::string_view stream_products[] = {"conv", "gemm", "matmul"};
constexpr std::string_view stream_sums[] = {"add", "mul"};

template <class Types>
bool is_one_of(const std::string& type, const Types& types) {
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

/// ZigZag's bits of an operand; of finished outputs as of inputs.
std::int64_t zigzag_bits(std::string_view operand) { return operand == "O" ? 16 : 8; }

/// Bits that the user gives are those that ZigZag takes, too.
bool is_given(const Layer& layer, const OnnxSettings& settings, const std::string& operand) {
  const auto& of_layer = layer.mapping.operand_precision;
  return settings.operand_precision.count(operand) != 0 ||
         std::any_of(of_layer.begin(), of_layer.end(),
                     [&](const auto& entry) { return entry.operand == operand; });
}

bool has_other_bits(const Layer& layer, const OnnxSettings& settings) {
  const auto differs = [&](const std::string& operand, std::int64_t bits) {
    return bits != zigzag_bits(operand) && !is_given(layer, settings, operand);
  };
  return differs("O_final", layer.final_output_precision) ||
         std::any_of(layer.operands.begin(), layer.operands.end(),
                     [&](const LayerOperand& operand) { return differs(operand.name, operand.precision); });
}

/// Exchanging width and height of the window gives another layer. ZigZag exchanges no lengths of the image.
bool has_oblong_window(const Layer& layer) {
  if (layer.loop_size("FX") != layer.loop_size("FY")) return true;
  const int x = layer.relation_of_loop("OX"), y = layer.relation_of_loop("OY");
  if (x < 0 || y < 0) return x != y;
  const DimensionRelation& width = layer.relations[static_cast<std::size_t>(x)];
  const DimensionRelation& height = layer.relations[static_cast<std::size_t>(y)];
  return width.stride != height.stride || width.dilation != height.dilation ||
         width.padding_low != height.padding_low || width.padding_high != height.padding_high;
}

}  // namespace

std::vector<std::string> layers_read_otherwise(const Workload& workload, const OnnxSettings& settings) {
  std::vector<std::string> names;
  for (const auto& layer : workload.layers)
    if (!is_one_of(layer->type, zigzag_types) || has_other_bits(*layer, settings) ||
        has_oblong_window(*layer))
      names.push_back(layer->name);
  return names;
}

std::vector<std::string> layers_read_otherwise_by_stream(const Workload& workload,
                                                         const OnnxSettings& settings) {
  const auto as_stream = [&](const Layer& layer) {
    if (has_other_bits(layer, settings)) return false;
    if (is_one_of(layer.type, stream_sums)) return layer.loop_size("OX") == layer.loop_size("OY");
    return is_one_of(layer.type, stream_products) && !has_oblong_window(layer) && layer.loop_size("G") == 1;
  };
  std::vector<std::string> names;
  for (const auto& layer : workload.layers)
    if (!as_stream(*layer)) names.push_back(layer->name);
  return names;
}

}  // namespace zz::core
