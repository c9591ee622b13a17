#include "core/input/onnx/detail/handed_on.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "core/input/onnx/detail/element_places.hpp"

namespace zz::core::onnx_import {
namespace {

/// Operators whose results are elements of their inputs, or zeros and bounds among them, beside those that
/// rearrange. Relu takes the larger of an element and 0; at inference Dropout hands its input on.
constexpr std::string_view selecting[] = {
    "MaxPool",  "GlobalMaxPool",  "MaxpoolWithMask", "NhwcMaxPool",    "MaxRoiPool", "MaxUnpool", "Resize",
    "Upsample", "GridSample",     "Dropout",         "BitmaskDropout", "Relu",       "Clip",      "Max",
    "Min",      "ReduceMax",      "ReduceMin",       "Where",          "TopK",       "Unique",    "Trilu",
    "Compress", "ThresholdedRelu"};

bool is_unsigned(ElementType type) {
  return type == ElementType::uint8 || type == ElementType::uint16 || type == ElementType::uint32 ||
         type == ElementType::uint64;
}

bool selects(const OperatorNode& node, const Operator& known) {
  const Attributes& attributes = node.attributes();
  // Between the pixels stand others; sums are no elements.
  if (known.name == "Resize" || known.name == "Upsample")
    return attributes.text("mode", "nearest") == "nearest";
  if (known.name == "GridSample") return attributes.text("mode", "linear") == "nearest";
  if (known.name.starts_with("Scatter")) {
    const std::string reduction = attributes.text("reduction", "none");
    return reduction != "add" && reduction != "mul";
  }
  return known.work == Operator::Work::rearrangement ||
         std::find(std::begin(selecting), std::end(selecting), known.name) != std::end(selecting);
}

}  // namespace

std::vector<std::size_t> inputs_handed_on(const OperatorNode& node, const Operator& known) {
  if (!selects(node, known)) return {};
  std::size_t first = 0, last = 0, step = 1;
  if (known.name == "Where") {
    first = 1;
    last = 2;
  } else if (known.name == "Concat" || known.name == "Max" || known.name == "Min") {
    last = node.input_count() - 1;
  } else if (known.name.starts_with("Scatter")) {
    last = step = 2;
  } else if (known.name == "TensorScatter") {
    last = 1;
  }
  std::vector<std::size_t> all, elements;
  for (std::size_t i = first; i <= last && i < node.input_count(); i += step)
    if (node.has_input(i)) all.push_back(i);
  for (const std::size_t i : all) {
    const Tensor& tensor = node.input(i);
    // A single constant is a bound, or what fills up, however often it is repeated.
    const bool is_bound =
        tensor.is_known_before_run() && tensor.has_full_shape() && tensor.different() == 1;
    if (!is_bound) elements.push_back(i);
  }
  return elements.empty() ? all : elements;
}

std::int64_t different_elements(const OperatorNode& node, const Operator& known) {
  const std::int64_t all = node.output(0).elements();
  if (known.name == "ConstantOfShape") return 1;
  const auto different = [&](std::size_t i) {
    return node.input(i).has_full_shape() ? node.input(i).different() : all;
  };
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (const std::vector<std::size_t> handed = inputs_handed_on(node, known); !handed.empty()) {
    std::int64_t sum = 0;
    for (const std::size_t i : handed) sum = std::min(most, sum + std::min(most / 2, different(i)));
    return std::min(all, sum);
  }
  if (!works_element_by_element(node) || node.input_count() == 0) return all;
  std::int64_t product = 1;
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (node.has_input(i)) product = element_count({product, different(i)});
  return std::min(all, product);
}

std::int64_t bits_of_parts(const OperatorNode& node, const Operator& known) {
  if (!is_integral(node.type(0)) || node.input_count() != 2) return 0;
  const std::int64_t whole = bits_of(node.type(0));
  // A known operand without negative elements: the largest, or the least of them.
  const auto operand = [&](std::size_t i, bool largest) -> std::int64_t {
    const auto* const values = node.integers(i);
    if (values == nullptr || values->empty()) return -1;
    const auto [least, most] = std::minmax_element(values->begin(), values->end());
    return *least < 0 ? -1 : largest ? *most : *least;
  };
  const auto width = [](std::int64_t number) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(number)));
  };
  std::int64_t bits = 0;
  if (known.name == "BitwiseAnd") {
    // The words are more than the masks.
    const bool first_is_mask = node.has_input(0) && node.has_input(1) && node.input(0).has_full_shape() &&
                               node.input(1).has_full_shape() &&
                               node.input(0).elements() < node.input(1).elements();
    if (const std::int64_t mask = operand(first_is_mask ? 0 : 1, true); mask > 0) bits = width(mask);
  } else if (known.name == "Mod") {
    if (const std::int64_t divisor = operand(1, true); divisor > 1) bits = width(divisor - 1);
  } else if (is_unsigned(node.type(0)) && known.name == "BitShift") {
    if (const std::int64_t shift = operand(1, false);
        shift > 0 && node.attributes().text("direction", "") == "RIGHT")
      bits = whole - shift;
  } else if (is_unsigned(node.type(0)) && known.name == "Div") {
    if (const std::int64_t divisor = operand(1, false); divisor > 1) bits = whole + 1 - width(divisor);
  }
  return bits > 0 && bits < whole ? bits : 0;
}

}  // namespace zz::core::onnx_import
