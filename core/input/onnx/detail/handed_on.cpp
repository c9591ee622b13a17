#include "core/input/onnx/detail/handed_on.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace zz::core::onnx_import {
namespace {

/// Operators whose results are elements of their inputs, or zeros and bounds among them, beside those that
/// rearrange. Relu takes the larger of an element and 0; at inference Dropout hands its input on.
constexpr std::string_view selecting[] = {
    "MaxPool",  "GlobalMaxPool",  "MaxpoolWithMask", "NhwcMaxPool",    "MaxRoiPool", "MaxUnpool", "Resize",
    "Upsample", "GridSample",     "Dropout",         "BitmaskDropout", "Relu",       "Clip",      "Max",
    "Min",      "ReduceMax",      "ReduceMin",       "Where",          "TopK",       "Unique",    "Trilu",
    "Compress", "ThresholdedRelu"};

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
    // A single constant is a bound, or what fills up.
    const bool is_bound = tensor.is_known_before_run() && tensor.has_full_shape() && tensor.elements() == 1;
    if (!is_bound) elements.push_back(i);
  }
  return elements.empty() ? all : elements;
}

}  // namespace zz::core::onnx_import
