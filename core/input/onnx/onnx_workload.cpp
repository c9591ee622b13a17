#include "core/input/onnx/onnx_workload.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <optional>
#include <set>

#include "core/input/onnx/network.hpp"
#include "core/input/onnx/network_workload.hpp"
#include "core/input/onnx/onnx_branches.hpp"
#include "core/input/onnx/onnx_contradictions.hpp"
#include "core/input/onnx/onnx_graph.hpp"
#include "core/input/onnx/onnx_layers.hpp"
#include "core/input/onnx/onnx_model.hpp"
#include "core/input/onnx/onnx_shapes.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/text/letter_case.hpp"

namespace zz::core {
namespace {

using onnx_import::GraphNode;
using onnx_import::NodeProblem;
using onnx_import::TensorShapes;

bool is_convolution(const std::string& type) { return type == "Conv" || type == "QLinearConv"; }
bool is_multiplication(const std::string& type) { return type == "MatMul" || type == "Gemm"; }
bool is_mapped(const std::string& type) { return is_convolution(type) || is_multiplication(type); }

bool holds_mapped_operators(const onnx::GraphProto& graph) {
  return std::any_of(graph.node().begin(), graph.node().end(), [](const onnx::NodeProto& node) {
    return is_mapped(node.op_type()) ||
           std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& attribute) {
             return attribute.has_g() && holds_mapped_operators(attribute.g());
           });
  });
}

/// Turns the nodes of one graph into a workload.
class GraphReader {
 public:
  GraphReader(const std::vector<GraphNode>& nodes, const TensorShapes& shapes, const MappingFile& mapping,
              const OnnxSettings& settings, const Rules& rules, SourceMark mark, Diagnostics& diagnostics)
      : nodes_(nodes),
        shapes_(shapes),
        mapping_(mapping),
        settings_(settings),
        rules_(rules),
        mark_(std::move(mark)),
        diagnostics_(diagnostics) {}

  Workload read() {
    for (const GraphNode& node : nodes_) {
      workload_.node_order.push_back(node.id);
      if (is_mapped(node.proto->op_type())) {
        add_layer(node);
      } else {
        add_pass_through(node);
      }
    }
    onnx_import::warn_of_contradictions(nodes_, shapes_, mark_, diagnostics_);
    return std::move(workload_);
  }

 private:
  void add_layer(const GraphNode& node) {
    try {
      Layer layer = is_convolution(node.proto->op_type())
                        ? onnx_import::make_conv_layer(node, shapes_, rules_)
                        : onnx_import::make_gemm_layer(node, shapes_);
      for (const auto& [operand, bits] : settings_.operand_precision) set_precision(layer, operand, bits);
      select_mapping(layer, mapping_, rules_, mark_, diagnostics_);
      workload_.layers.push_back(std::make_shared<const Layer>(std::move(layer)));
      add_edges(node.predecessors, node.id);
    } catch (const NodeProblem& problem) {
      report(problem, node, mark_, diagnostics_);
    }
  }

  void add_pass_through(const GraphNode& node) {
    PassThroughNode result;
    result.id = node.id;
    result.name = node.name;
    result.type = lower_case(node.proto->op_type());
    result.sources = sources_of(node);
    result.output_elements = shapes_.output_elements(*node.proto);
    warn_about_inner_layers(node);
    add_edges(result.sources, node.id);
    workload_.pass_through.push_back(std::move(result));
  }

  // ZigZag records two sources of such a node, which loses data-flow edges of a concatenation of more.
  // The parameters that follow in third place and later (bounds, axes) are no data when they are
  // constants.
  std::vector<std::int64_t> sources_of(const GraphNode& node) const {
    std::vector<std::int64_t> sources;
    for (const std::int64_t predecessor : node.predecessors) {
      const bool beyond = sources.size() >= 2;
      if (beyond && rules_.two_sources_recorded) break;
      if (beyond && nodes_[predecessor].proto->op_type() == "Constant") continue;
      sources.push_back(predecessor);
    }
    return sources;
  }

  void warn_about_inner_layers(const GraphNode& node) {
    for (const auto& attribute : node.proto->attribute()) {
      if (!attribute.has_g() || !holds_mapped_operators(attribute.g())) continue;
      diagnostics_.warning(
          mark_, fmt::format("node '{}' ({}): the layers inside its {} are left out of the estimate",
                             node.name, node.proto->op_type(), attribute.name()));
    }
  }

  void add_edges(const std::vector<std::int64_t>& producers, std::int64_t consumer) {
    for (const std::int64_t producer : producers) {
      if (known_edges_.emplace(producer, consumer).second) workload_.edges.emplace_back(producer, consumer);
    }
  }

  const std::vector<GraphNode>& nodes_;
  const TensorShapes& shapes_;
  const MappingSelection mapping_;
  const OnnxSettings& settings_;
  const Rules& rules_;
  const SourceMark mark_;
  Diagnostics& diagnostics_;
  Workload workload_;
  std::set<std::pair<std::int64_t, std::int64_t>> known_edges_;
};

}  // namespace

Workload read_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                   Diagnostics& diagnostics, const OnnxSettings& settings) {
  const SourceMark mark{path};
  if (!rules.onnx_operators_of_zigzag) {
    const onnx_import::Network network =
        onnx_import::read_network(path, settings.dimensions, diagnostics, settings.read_operator);
    Workload workload = onnx_import::workload_of(network, mapping, settings, rules, mark, diagnostics);
    if (workload.layers.empty() && !diagnostics.has_errors())
      diagnostics.error(mark, "the network has no operator that multiplies and accumulates",
                        "such are Conv, Gemm, MatMul and others (docs/networks.md)");
    diagnostics.throw_if_errors();
    workload.name = std::filesystem::path(path).stem().string();
    return workload;
  }
  if (!settings.dimensions.empty())
    diagnostics.warning(mark, "`dimensions` has no effect with `compat`",
                        "as in ZigZag, an open batch size is 1, and other lengths must be in the file");
  onnx::ModelProto model = onnx_import::load_model(path, diagnostics);
  onnx_import::inline_branches(*model.mutable_graph(), mark, diagnostics);
  const TensorShapes shapes(model, mark, diagnostics);
  const std::vector<GraphNode> nodes = onnx_import::list_nodes(model.graph(), mark, diagnostics);
  diagnostics.throw_if_errors();

  Workload workload = GraphReader(nodes, shapes, mapping, settings, rules, mark, diagnostics).read();
  if (workload.layers.empty() && !diagnostics.has_errors()) {
    diagnostics.error(mark, "the network has no operator that can be mapped",
                      "mapped are Conv, QLinearConv, MatMul and Gemm");
  }
  diagnostics.throw_if_errors();
  workload.name = std::filesystem::path(path).stem().string();
  return workload;
}

}  // namespace zz::core
