#include "core/input/onnx/onnx_shapes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <utility>

#include "core/input/onnx/onnx_inference.hpp"
#include "core/input/onnx/onnx_model.hpp"
#include "core/input/onnx/onnx_node_problem.hpp"

namespace zz::core::onnx_import {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The inference invents names for axes that it does not know; they say nothing to the user.
bool is_invented(const std::string& symbol) { return symbol.rfind("unk__", 0) == 0; }

}  // namespace

bool TensorShapes::Entry::complete() const {
  return std::all_of(axes.begin(), axes.end(), [](std::int64_t length) { return length > 0; });
}

TensorShapes::TensorShapes(onnx::ModelProto& model, const SourceMark& mark, Diagnostics& diagnostics) {
  fix_batch_size(*model.mutable_graph(), mark, diagnostics);
  collect(model.graph(), mark, diagnostics);
  if (!needs_inference(model.graph())) return;
  inference_possible_ = can_infer(standard_operator_set(model));
  if (!inference_possible_) return;
  inference_failure_ = first_line(infer_shapes(model));
  collect(model.graph(), mark, diagnostics);
}

// Older models list their weights among the inputs: those are no inputs of the network.
void TensorShapes::fix_batch_size(onnx::GraphProto& graph, const SourceMark& mark,
                                  Diagnostics& diagnostics) {
  std::set<std::string> weights;
  for (const auto& tensor : graph.initializer()) weights.insert(tensor.name());
  for (auto& input : *graph.mutable_input()) {
    if (weights.count(input.name()) != 0 || !input.type().has_tensor_type()) continue;
    auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    if (shape.dim_size() < 2 || shape.dim(0).dim_value() > 0) continue;
    const std::string symbol = shape.dim(0).dim_param();
    const bool first_of_its_name = symbol.empty() || symbol_values_.emplace(symbol, 1).second;
    shape.mutable_dim(0)->set_dim_value(1);
    if (!first_of_its_name) continue;
    diagnostics.warning(
        mark,
        fmt::format("the batch size of input '{}' is not fixed{}: 1 is assumed", input.name(),
                    symbol.empty() ? "" : fmt::format(" (it is called '{}')", symbol)),
        "export the model with a fixed batch size for another one");
  }
}

// A name that is met twice keeps what was said first; what was left open then is filled in.
void TensorShapes::collect(const onnx::GraphProto& graph, const SourceMark& mark,
                           Diagnostics& diagnostics) {
  const int stated =
      graph.input_size() + graph.output_size() + graph.value_info_size() + graph.initializer_size();
  entries_.reserve(static_cast<std::size_t>(stated));
  for (const auto& value : graph.input()) add(value, mark, diagnostics);
  for (const auto& value : graph.output()) add(value, mark, diagnostics);
  for (const auto& value : graph.value_info()) add(value, mark, diagnostics);
  for (const auto& tensor : graph.initializer()) {
    const auto [place, inserted] = entries_.try_emplace(tensor.name());
    Shape& known = place->second.axes;
    if (inserted)
      known.assign(tensor.dims().begin(), tensor.dims().end());
    else
      compare(tensor.name(), known, Shape(tensor.dims().begin(), tensor.dims().end()), mark, diagnostics);
  }
}

void TensorShapes::compare(const std::string& name, const Shape& first, const Shape& other,
                           const SourceMark& mark, Diagnostics& diagnostics) {
  const bool same = std::equal(first.begin(), first.end(), other.begin(), other.end(),
                               [](std::int64_t a, std::int64_t b) { return a == b || a == 0 || b == 0; });
  if (same || !contradicted_.insert(name).second) return;
  diagnostics.warning(mark, fmt::format("the shape of tensor '{}' is stated twice, as {} and as {}; the "
                                        "first counts, as in ZigZag",
                                        name, fmt::join(first, "x"), fmt::join(other, "x")));
}

void TensorShapes::add(const onnx::ValueInfoProto& value, const SourceMark& mark,
                       Diagnostics& diagnostics) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
  Shape axes;
  axes.reserve(static_cast<std::size_t>(value.type().tensor_type().shape().dim_size()));
  for (const auto& axis : value.type().tensor_type().shape().dim()) {
    const auto symbol =
        axis.dim_param().empty() ? symbol_values_.end() : symbol_values_.find(axis.dim_param());
    axes.push_back(symbol != symbol_values_.end() ? symbol->second
                                                  : std::max<std::int64_t>(axis.dim_value(), 0));
  }
  const auto [place, inserted] = entries_.try_emplace(value.name());
  Entry& known = place->second;
  if (inserted) {
    known.axes = std::move(axes);
    if (known.complete()) return;
    for (const auto& axis : value.type().tensor_type().shape().dim())
      known.symbols.push_back(is_invented(axis.dim_param()) ? std::string() : axis.dim_param());
    return;
  }
  compare(value.name(), known.axes, axes, mark, diagnostics);
  if (known.axes.size() != axes.size()) return;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (known.axes[i] == 0) known.axes[i] = axes[i];
  }
}

bool TensorShapes::needs_inference(const onnx::GraphProto& graph) const {
  for (const auto& node : graph.node()) {
    for (const auto& output : node.output()) {
      const auto found = entries_.find(output);
      if (!output.empty() && (found == entries_.end() || !found->second.complete())) return true;
    }
  }
  return false;
}

std::string TensorShapes::advice() const {
  if (!inference_possible_) {
    return fmt::format(
        "shapes are inferred up to operator set {}: export with that one, or add the shapes with "
        "onnx.shape_inference.infer_shapes",
        newest_inferable_operator_set());
  }
  if (!inference_failure_.empty()) return "shape inference failed: " + inference_failure_;
  return "shape inference did not find it: give every input of the network a fixed shape, or fold computed "
         "shapes to constants, before exporting";
}

Shape TensorShapes::require(const std::string& tensor) const {
  const auto found = entries_.find(tensor);
  if (found == entries_.end()) {
    throw NodeProblem(fmt::format("the shape of tensor '{}' is unknown", tensor), advice());
  }
  Shape axes = found->second.axes;
  if (!axes.empty() && axes[0] == 0) axes[0] = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] > 0) continue;
    const std::string symbol = found->second.symbols.empty() ? "" : found->second.symbols[i];
    throw NodeProblem(fmt::format("the length of axis {}{} of tensor '{}' is unknown or zero", i,
                                  symbol.empty() ? "" : fmt::format(" ('{}')", symbol), tensor),
                      advice());
  }
  return axes;
}

const Shape* TensorShapes::find(const std::string& tensor) const {
  const auto found = entries_.find(tensor);
  return found != entries_.end() && found->second.complete() ? &found->second.axes : nullptr;
}

std::int64_t TensorShapes::elements(const std::string& tensor) const {
  const auto found = entries_.find(tensor);
  if (found == entries_.end()) return 0;
  std::int64_t product = 1;
  for (std::size_t i = 0; i < found->second.axes.size(); ++i) {
    const std::int64_t length =
        i == 0 ? std::max<std::int64_t>(found->second.axes[i], 1) : found->second.axes[i];
    if (length == 0) return 0;
    if (product > std::numeric_limits<std::int64_t>::max() / length)
      return std::numeric_limits<std::int64_t>::max();
    product *= length;
  }
  return product;
}

}  // namespace zz::core::onnx_import
