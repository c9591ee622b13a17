#include "core/workload/layer_precision.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"

namespace zz::core {
namespace {

constexpr std::int64_t widest_choice = 64;

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Null when the layer has no such operand, or nothing moves of it.
std::int64_t* bits_of(Layer& layer, const std::string& operand) {
  if (operand == "O_final") return &layer.final_output_precision;
  const int index = layer.operand_index(operand);
  if (index < 0) return nullptr;
  std::int64_t& bits = layer.operands[static_cast<std::size_t>(index)].precision;
  return bits > 0 ? &bits : nullptr;
}

}  // namespace

void set_precision(Layer& layer, const std::string& operand, std::int64_t bits) {
  if (operand == "O_final") {
    layer.final_output_precision = bits;
  } else if (const int index = layer.operand_index(operand); index >= 0) {
    layer.operands[static_cast<std::size_t>(index)].precision = bits;
  }
  std::erase(layer.assumed_precision, operand);
}

PrecisionChoice precision_choice(const std::string& text) {
  if (text.empty()) return {};
  if (text == "file") return {PrecisionChoice::Kind::network, 0};
  std::int64_t bits = 0;
  const char* const end = text.data() + text.size();
  const auto [read, problem] = std::from_chars(text.data(), end, bits);
  if (problem == std::errc() && read == end && bits >= 1 && bits <= widest_choice)
    return {PrecisionChoice::Kind::chosen, bits};
  const std::array<std::string, 1> names{"file"};
  const std::string near = nearest_name(text, names);
  throw InputError(fmt::format("the precision must be bits (1 to {}) or 'file', but found '{}'{}",
                               widest_choice, text, near.empty() ? "" : "; did you mean 'file'?"));
}

void choose_precision(Layer& layer, const PrecisionChoice& choice, const std::vector<std::string>& named) {
  if (choice.kind == PrecisionChoice::Kind::units) return;
  if (choice.kind == PrecisionChoice::Kind::network) {
    layer.assumed_precision.clear();
    return;
  }
  const auto open = [&](const std::string& operand) {
    return bits_of(layer, operand) != nullptr && !has(named, operand) &&
           std::none_of(layer.mapping.operand_precision.begin(), layer.mapping.operand_precision.end(),
                        [&](const OperandPrecision& said) { return said.operand == operand; });
  };
  for (const char* operand : {"W", "I", "O_final"})
    if (open(operand)) set_precision(layer, operand, choice.bits);
  if (!open("O")) return;
  set_precision(layer, "O", layer.vector_work ? layer.final_output_precision : 2 * choice.bits);
  if (!layer.vector_work) layer.assumed_precision = {"O"};
}

bool adopt_precision(Layer& layer, const std::vector<OperandPrecision>& of_units) {
  const std::vector<std::string> assumed = layer.assumed_precision;
  std::int64_t sum = 0;
  bool changed = false;
  for (const auto& [operand, bits] : of_units) {
    if (operand == "O") sum = bits;
    const std::int64_t* const now = bits_of(layer, operand);
    if (operand == "O" || now == nullptr || !has(assumed, operand)) continue;
    changed = changed || *now != bits;
    set_precision(layer, operand, bits);
  }
  if (has(assumed, "O") && bits_of(layer, "O") != nullptr && (sum > 0 || (layer.vector_work && changed))) {
    const std::int64_t result = layer.final_output_precision;
    set_precision(layer, "O", layer.vector_work ? result : std::max(sum, result));
  }
  return changed;
}

}  // namespace zz::core
