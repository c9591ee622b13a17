#include "core/input/stream/stream_onnx_workload.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "core/input/onnx/network.hpp"
#include "core/input/onnx/workload_builder.hpp"
#include "core/input/onnx/zigzag_layers.hpp"
#include "core/input/stream/stream_network_workload.hpp"
#include "core/input/stream/stream_onnx_layers.hpp"
#include "core/input/stream/stream_onnx_shape_change.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"

namespace zz::core {
namespace {

using onnx_import::Network;
using onnx_import::NetworkNode;
using onnx_import::NodeProblem;
using onnx_import::OnnxReading;
using onnx_import::StreamNode;

/// The workload that Stream makes of a network.
class StreamReader {
 public:
  StreamReader(const Network& network, const OnnxReading& reading)
      : network_(network), reading_(reading), mapping_(reading.mapping) {}

  Workload read() {
    for (const NetworkNode& node : network_.nodes) {
      const StreamNode placed{node, network_.view(node), producers_of(node)};
      try {
        if (node.inputs.empty())
          made_.skip_id();
        else if (is_stream_layer(placed))
          add_layer(placed);
        else
          add_pass_through(placed);
      } catch (const NodeProblem& problem) {
        reading_.diagnostics.error(
            reading_.mark, fmt::format("node '{}' ({}): {}", node.name, node.op_type, problem.what()),
            problem.hint());
        made_.skip_id();
      }
    }
    return made_.take();
  }

 private:
  std::vector<std::int64_t> producers_of(const NetworkNode& node) const {
    std::vector<std::int64_t> producers;
    for (const std::int64_t input : node.inputs) {
      const std::int64_t producer =
          input < 0 ? -1 : network_.tensors[static_cast<std::size_t>(input)].producer;
      const bool counts =
          producer >= 0 && !network_.nodes[static_cast<std::size_t>(producer)].inputs.empty();
      producers.push_back(counts ? producer : StreamNode::no_producer);
    }
    return producers;
  }

  void add_layer(const StreamNode& node) {
    Layer layer = make_stream_layer(node);
    select_mapping(layer, mapping_, mapping_names(node), reading_.rules, reading_.mark,
                   reading_.diagnostics);
    made_.add_layer(std::move(layer));
  }

  void add_pass_through(const StreamNode& node) {
    std::vector<std::int64_t> sources = node.predecessors();
    ShapeChange change;
    // Of what no layer feeds, shapes do not matter and may be unknown.
    if (!sources.empty()) {
      std::vector<std::string> doubts;
      change = shape_change_of(network_, node, doubts);
      for (const std::string& doubt : doubts)
        reading_.diagnostics.warning(
            reading_.mark, fmt::format("node '{}' ({}): {}", node.node.name, node.node.op_type, doubt));
    }
    constexpr std::size_t most_recorded = 2;
    if (change.kind == ShapeChange::Kind::none) sources.resize(std::min(sources.size(), most_recorded));
    made_.add_node(node.node.name, node.type(), std::move(change), std::move(sources),
                   onnx_import::zigzag_output_elements(node.view));
  }

  const Network& network_;
  const OnnxReading& reading_;
  const MappingSelection mapping_;
  onnx_import::WorkloadBuilder made_;
};

}  // namespace

Workload read_stream_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                          Diagnostics& diagnostics, const OnnxSettings& settings, const Files& files) {
  const SourceMark mark{path};
  const OnnxReading reading{mapping, settings, rules, mark, diagnostics};
  Workload workload =
      rules.onnx_operators_of_zigzag
          ? StreamReader(onnx_import::read_as_zigzag(path, diagnostics, files), reading).read()
          : onnx_import::stream_workload_of(
                onnx_import::read_network(path, settings.dimensions, diagnostics, settings.read_operator,
                                          files),
                reading);
  if (workload.layers.empty() && !diagnostics.has_errors())
    diagnostics.error(
        mark, "the network has no operator that runs on a core",
        rules.onnx_operators_of_zigzag
            ? "those are Conv, QLinearConv, Gemm, MatMul, pooling, and Add and Mul of equal shapes"
            : "those multiply and accumulate, or are pooling, or Add and Mul of equal shapes, or "
              "have an entry in the mapping file");
  diagnostics.throw_if_errors();
  workload.name = std::filesystem::path(path).stem().string();
  return workload;
}

}  // namespace zz::core
