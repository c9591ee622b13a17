#include "core/input/onnx/onnx_shapes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <onnx/onnx_pb.h>
#include <set>
#include <utility>

#include "core/input/onnx/onnx_inference.hpp"
#include "core/input/onnx/onnx_model.hpp"

namespace zz::core::onnx_import {
namespace {

/// Bytes of an element whose values the inference reads, or 0.
std::uint64_t width_of(const onnx::TensorProto& tensor) {
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::INT32:
      return 4;
    case onnx::TensorProto::DOUBLE:
    case onnx::TensorProto::INT64:
      return 8;
    default:
      return 0;
  }
}

void check_data(const onnx::TensorProto& tensor, const SourceMark& mark, Diagnostics& diagnostics) {
  const std::uint64_t width = width_of(tensor);
  if (tensor.raw_data().empty() || width == 0) return;
  std::uint64_t bytes = width;
  for (const std::int64_t length : tensor.dims()) bytes *= static_cast<std::uint64_t>(length);
  if (bytes == tensor.raw_data().size()) return;
  diagnostics.error(mark,
                    fmt::format("tensor '{}' has {} bytes of data, its type and shape are those of {}",
                                tensor.name(), tensor.raw_data().size(), bytes),
                    "the file is damaged; export the model again");
}

/// Finds what the ONNX library would divide by or read beyond its end without a check of its own.
void check_before_inference(const onnx::GraphProto& graph, const SourceMark& mark,
                            Diagnostics& diagnostics) {
  for (const auto& tensor : graph.initializer()) check_data(tensor, mark, diagnostics);
  for (int id = 0; id < graph.node_size(); ++id) {
    const onnx::NodeProto& proto = graph.node(id);
    const GraphNode node{id, proto.name().empty() ? fmt::format("Op{}", id) : proto.name(), &proto, {}};
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
      if (attribute.has_t()) check_data(attribute.t(), mark, diagnostics);
      if (attribute.has_g()) check_before_inference(attribute.g(), mark, diagnostics);
      const std::string& name = attribute.name();
      if (name != "kernel_shape" && name != "strides" && name != "dilations") continue;
      const auto wrong = std::find_if(attribute.ints().begin(), attribute.ints().end(),
                                      [](std::int64_t value) { return value < 1; });
      if (wrong != attribute.ints().end()) report(below_smallest(name, *wrong, 1), node, mark, diagnostics);
    }
  }
}

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
  inference_possible_ = standard_operator_set(model) <= newest_inferable_operator_set();
  if (!inference_possible_) {
    diagnostics.warning(
        mark,
        fmt::format("operator set {} is newer than the ONNX library's {}: shapes are not inferred",
                    standard_operator_set(model), newest_inferable_operator_set()),
        "shapes that the file carries are used");
    return;
  }
  check_before_inference(model.graph(), mark, diagnostics);
  if (diagnostics.has_errors()) return;
  inference_failure_ = infer_shapes(model, mark, diagnostics);
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
  diagnostics.warning(
      mark, fmt::format(
                "the shape of tensor '{}' is stated twice, as {} and as {}; the first counts, as in ZigZag",
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

std::int64_t TensorShapes::output_elements(const onnx::NodeProto& node) const {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  for (const auto& output : node.output()) {
    const std::int64_t count = output.empty() ? 0 : elements(output);
    sum = count > largest - sum ? largest : sum + count;
  }
  return sum;
}

}  // namespace zz::core::onnx_import
