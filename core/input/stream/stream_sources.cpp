#include "core/input/stream/stream_sources.hpp"

#include <algorithm>

namespace zz::core::onnx_import {

bool joins_tensors(const OperatorNode& node) {
  return node.op_type() == "Concat" ||
         (node.op_type() == "ConcatFromSequence" && node.attributes().integer("new_axis", 0) == 0);
}

std::int64_t StreamSources::of(const NetworkNode& node, std::size_t input) const {
  const std::int64_t index = input < node.inputs.size() ? node.inputs[input] : -1;
  if (index < 0 || tensor(index).is_known_before_run()) return none;
  return producers_[static_cast<std::size_t>(index)];
}

std::vector<bool> StreamSources::carried(const NetworkNode& node) const {
  std::vector<bool> found;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) found.push_back(of(node, i) != none);
  return found;
}

std::int64_t StreamSources::offchip_elements(const NetworkNode& node, std::size_t input) const {
  const std::int64_t index = node.inputs[input];
  if (index < 0) return 0;
  if (of(node, input) != none) return offchip_[static_cast<std::size_t>(index)];
  return tensor(index).has_full_shape() ? tensor(index).elements() : 0;
}

void StreamSources::set(const NetworkNode& node, std::size_t output, std::int64_t id) {
  if (node.outputs[output] >= 0) producers_[static_cast<std::size_t>(node.outputs[output])] = id;
}

void StreamSources::pass_on(const NetworkNode& node, std::size_t output) {
  const bool joins = node.op_type == "Concat" || node.op_type == "ConcatFromSequence" ||
                     node.op_type == "com.microsoft:QLinearConcat";
  const bool writes_into = node.op_type.rfind("Scatter", 0) == 0 || node.op_type == "TensorScatter";
  std::int64_t elements = 0;
  for (std::size_t input = 0; input < node.inputs.size(); ++input) {
    if (writes_into && input > 0) break;
    if (of(node, input) == none && !joins && !writes_into) continue;
    const std::int64_t of_input = offchip_elements(node, input);
    elements = joins ? elements + of_input : std::max(elements, of_input);
  }
  const Tensor& result = tensor(node.outputs[output]);
  if (result.has_full_shape()) elements = std::min(elements, result.elements());
  offchip_[static_cast<std::size_t>(node.outputs[output])] = elements;
}

}  // namespace zz::core::onnx_import
