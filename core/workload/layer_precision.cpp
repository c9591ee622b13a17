#include "core/workload/layer_precision.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

constexpr std::int64_t widest_choice = 64;

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Nothing when the layer has no such operand, or nothing moves of it.
std::optional<NumberType> type_of(const Layer& layer, const std::string& operand) {
  if (operand == "O_final") return NumberType(layer.final_output_precision, layer.final_output_scale);
  const int index = layer.operand_index(operand);
  if (index < 0) return std::nullopt;
  const LayerOperand& tensor = layer.operands[static_cast<std::size_t>(index)];
  if (tensor.precision == 0) return std::nullopt;
  return NumberType(tensor.precision, tensor.scale);
}

}  // namespace

void set_precision(Layer& layer, const std::string& operand, const NumberType& type) {
  if (operand == "O_final") {
    layer.final_output_precision = type.bits;
    layer.final_output_scale = type.scale;
  } else if (const int index = layer.operand_index(operand); index >= 0) {
    LayerOperand& tensor = layer.operands[static_cast<std::size_t>(index)];
    tensor.precision = type.bits;
    tensor.scale = type.scale;
  }
  std::erase(layer.assumed_precision, operand);
  std::erase(layer.assumed_scales, operand);
}

bool same_numbers(const NumberType& a, const NumberType& b) {
  return a.bits == b.bits && a.scale.bits == b.scale.bits && a.scale.every == b.scale.every;
}

void assume_scale(Layer& layer, const std::string& operand) { layer.assumed_scales.push_back(operand); }

std::vector<std::string> leave_out_scales(Layer& layer, const std::vector<OperandPrecision>& of_units) {
  std::vector<std::string> left_out;
  for (const OperandPrecision& unit : of_units) {
    const auto type = type_of(layer, unit.operand);
    if (!type || same_numbers(*type, unit.type()) || !has(layer.assumed_scales, unit.operand)) continue;
    set_precision(layer, unit.operand, NumberType(type->bits));
    left_out.push_back(unit.operand);
  }
  return left_out;
}

PrecisionChoice precision_choice(const std::string& text) {
  if (text.empty()) return {};
  if (text == "file") return {PrecisionChoice::Kind::network, 0};
  std::int64_t bits = 0;
  const char* const end = text.data() + text.size();
  const auto [read, problem] = std::from_chars(text.data(), end, bits);
  if (problem == std::errc() && read == end && bits >= 1 && bits <= widest_choice)
    return {PrecisionChoice::Kind::chosen, bits};
  if (const auto named = named_number_type(text)) return {PrecisionChoice::Kind::chosen, *named};
  std::vector<std::string> names = number_type_names();
  names.emplace_back("file");
  const std::string near = nearest_name(text, names);
  throw InputError(
      fmt::format("the precision must be bits (1 to {}), a type of numbers (mxfp4, bf16, ...) or 'file', "
                  "but found '{}'{}",
                  widest_choice, text, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

void choose_precision(Layer& layer, const PrecisionChoice& choice, const std::vector<std::string>& named) {
  if (choice.kind == PrecisionChoice::Kind::units) return;
  if (choice.kind == PrecisionChoice::Kind::network) {
    layer.assumed_precision.clear();
    layer.assumed_scales.clear();
    return;
  }
  const auto open = [&](const std::string& operand) {
    return type_of(layer, operand) && !has(named, operand) &&
           std::none_of(layer.mapping.operand_precision.begin(), layer.mapping.operand_precision.end(),
                        [&](const OperandPrecision& said) { return said.operand == operand; });
  };
  for (const char* operand : {"W", "I", "O_final"})
    if (open(operand)) set_precision(layer, operand, choice.type);
  if (!open("O")) return;
  set_precision(layer, "O", layer.vector_work ? *type_of(layer, "O_final") : NumberType(choice.sum_bits()));
  if (!layer.vector_work) layer.assumed_precision = {"O"};
}

bool adopt_precision(Layer& layer, const std::vector<OperandPrecision>& of_units) {
  const std::vector<std::string> assumed = layer.assumed_precision;
  std::int64_t sum = 0;
  bool changed = false;
  for (const OperandPrecision& unit : of_units) {
    if (unit.operand == "O") sum = unit.bits;
    const auto now = type_of(layer, unit.operand);
    if (unit.operand == "O" || !now || !has(assumed, unit.operand)) continue;
    changed = changed || *now != unit.type();
    set_precision(layer, unit.operand, unit.type());
  }
  if (has(assumed, "O") && type_of(layer, "O") && (sum > 0 || (layer.vector_work && changed))) {
    const NumberType result = *type_of(layer, "O_final");
    set_precision(layer, "O", layer.vector_work ? result : NumberType(std::max(sum, result.bits)));
  }
  return changed;
}

}  // namespace zz::core
