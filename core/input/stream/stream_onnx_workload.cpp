#include "core/input/stream/stream_onnx_workload.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/input/onnx/network.hpp"
#include "core/input/onnx/onnx_branches.hpp"
#include "core/input/onnx/onnx_contradictions.hpp"
#include "core/input/onnx/onnx_graph.hpp"
#include "core/input/onnx/onnx_model.hpp"
#include "core/input/onnx/onnx_shapes.hpp"
#include "core/input/stream/stream_network_workload.hpp"
#include "core/input/stream/stream_onnx_layers.hpp"
#include "core/input/stream/stream_onnx_shape_change.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/text/letter_case.hpp"

namespace zz::core {
namespace {

using onnx_import::GraphNode;
using onnx_import::IntegerConstants;
using onnx_import::NodeProblem;
using onnx_import::StreamNode;
using onnx_import::TensorShapes;

/// Turns the nodes of one graph into a workload.
class StreamGraphReader {
 public:
  StreamGraphReader(const TensorShapes& shapes, const IntegerConstants& constants,
                    const MappingFile& mapping, const Rules& rules, SourceMark mark,
                    Diagnostics& diagnostics)
      : shapes_(shapes),
        constants_(constants),
        mapping_(mapping),
        rules_(rules),
        mark_(std::move(mark)),
        diagnostics_(diagnostics) {}

  Workload read(const std::vector<GraphNode>& nodes) {
    for (const GraphNode& node : nodes) {
      if (node.proto->input().empty()) continue;
      workload_.node_order.push_back(node.id);
      const StreamNode placed = place(node);
      try {
        if (is_stream_layer(placed, shapes_)) {
          add_layer(placed);
        } else {
          add_pass_through(placed);
        }
      } catch (const NodeProblem& problem) {
        report(problem, node, mark_, diagnostics_);
      }
      for (const auto& output : node.proto->output()) producers_.emplace(output, node.id);
    }
    onnx_import::warn_of_contradictions(nodes, shapes_, mark_, diagnostics_);
    return std::move(workload_);
  }

 private:
  // What no layer takes part in is there before the first layer runs. The reference waits for it forever.
  StreamNode place(const GraphNode& node) const {
    StreamNode placed{node, {}};
    for (const auto& input : node.proto->input()) {
      const auto found = input.empty() ? producers_.end() : producers_.find(input);
      const bool carries_data = found != producers_.end() &&
                                (rules_.constants_awaited || after_layers_.count(found->second) != 0);
      placed.producers.push_back(carries_data ? found->second : StreamNode::no_producer);
    }
    return placed;
  }

  void add_layer(const StreamNode& node) {
    Layer layer = make_stream_layer(node, shapes_, rules_);
    select_mapping(layer, mapping_, mapping_names(node, layer, rules_), rules_, mark_, diagnostics_);
    for (const int operand : layer.source_order)
      add_edges(layer.operands[static_cast<std::size_t>(operand)].sources, layer.id);
    after_layers_.insert(layer.id);
    workload_.layers.push_back(std::make_shared<const Layer>(std::move(layer)));
  }

  void add_pass_through(const StreamNode& node) {
    PassThroughNode result;
    result.id = node.node.id;
    result.name = node.node.name;
    result.type = lower_case(node.type());
    result.sources = node.predecessors();
    result.output_elements = shapes_.output_elements(node.proto());
    // Of what no layer feeds, shapes do not matter and may be unknown.
    if (!result.sources.empty()) {
      std::vector<std::string> doubts;
      result.shape_change = shape_change_of(node, shapes_, constants_, doubts);
      for (const std::string& doubt : doubts)
        diagnostics_.warning(mark_, fmt::format("node '{}' ({}): {}", node.node.name, node.type(), doubt));
      after_layers_.insert(result.id);
    }
    constexpr std::size_t most_in_stream = 2;
    if (rules_.two_sources_recorded && result.shape_change.kind == ShapeChange::Kind::none &&
        result.sources.size() > most_in_stream)
      result.sources.resize(most_in_stream);
    add_edges(result.sources, result.id);
    workload_.pass_through.push_back(std::move(result));
  }

  void add_edges(const std::vector<std::int64_t>& producers, std::int64_t consumer) {
    for (const std::int64_t producer : producers) {
      if (known_edges_.emplace(producer, consumer).second) workload_.edges.emplace_back(producer, consumer);
    }
  }

  const TensorShapes& shapes_;
  const IntegerConstants& constants_;
  const MappingSelection mapping_;
  const Rules& rules_;
  const SourceMark mark_;
  Diagnostics& diagnostics_;
  Workload workload_;
  std::unordered_map<std::string, std::int64_t> producers_;  // of tensors, by nodes that have inputs
  std::unordered_set<std::int64_t> after_layers_;            // layers and what depends on one
  std::set<std::pair<std::int64_t, std::int64_t>> known_edges_;
};

}  // namespace

Workload read_stream_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                          Diagnostics& diagnostics, const OnnxSettings& settings) {
  const SourceMark mark{path};
  if (!rules.onnx_operators_of_zigzag) {
    const onnx_import::Network network =
        onnx_import::read_network(path, settings.dimensions, diagnostics, settings.read_operator);
    Workload workload =
        onnx_import::stream_workload_of(network, mapping, settings, rules, mark, diagnostics);
    if (workload.layers.empty() && !diagnostics.has_errors())
      diagnostics.error(mark, "the network has no operator that runs on a core",
                        "those multiply and accumulate, or are pooling, or Add and Mul of equal shapes, or "
                        "have an entry in the mapping file");
    diagnostics.throw_if_errors();
    workload.name = std::filesystem::path(path).stem().string();
    return workload;
  }
  onnx::ModelProto model = onnx_import::load_model(path, diagnostics);
  onnx_import::inline_branches(*model.mutable_graph(), mark, diagnostics);
  const TensorShapes shapes(model, mark, diagnostics);
  const IntegerConstants constants(model.graph());
  const std::vector<GraphNode> nodes = onnx_import::list_nodes(model.graph(), mark, diagnostics);
  diagnostics.throw_if_errors();

  StreamGraphReader reader(shapes, constants, mapping, rules, mark, diagnostics);
  Workload workload = reader.read(nodes);
  if (workload.layers.empty() && !diagnostics.has_errors()) {
    diagnostics.error(
        mark, "the network has no operator that runs on a core",
        "those are Conv, QLinearConv, Gemm, MatMul, pooling, and Add and Mul of equal shapes");
  }
  diagnostics.throw_if_errors();
  workload.name = std::filesystem::path(path).stem().string();
  return workload;
}

}  // namespace zz::core
