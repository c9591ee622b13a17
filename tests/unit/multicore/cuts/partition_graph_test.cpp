#include "core/multicore/cuts/partition_graph.hpp"

#include <doctest/doctest.h>
#include <string>
#include <tuple>

#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/graph/split.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz;

namespace {

/// The first part in which two graphs differ, or nothing.
std::string difference(const core::ComputationNodeGraph& a, const core::ComputationNodeGraph& b) {
  const auto unequal = [](const auto& left, const auto& right, auto key) {
    return !std::equal(left.begin(), left.end(), right.begin(), right.end(),
                       [&](const auto& x, const auto& y) { return key(x) == key(y); });
  };
  if (unequal(a.layers, b.layers, [](const core::CutLayer& layer) {
        return std::tuple(layer.first_node, layer.node_count, layer.group_count, layer.constants,
                          layer.loop_sizes, *layer.layer, *layer.piece);
      }))
    return "layers";
  if (unequal(a.nodes, b.nodes, [](const core::ComputationNode& node) {
        return std::tuple(node.layer, node.sub_id, node.group, node.final_output, node.produced_bits,
                          node.tensors);
      }))
    return "nodes";
  if (unequal(a.tensors, b.tensors, [](const core::PieceTensor& tensor) {
        return std::tuple(tensor.layer, tensor.operand, tensor.first_node, tensor.bits,
                          tensor.base_priority);
      }))
    return "tensors";
  if (unequal(a.dependencies, b.dependencies, [](const core::Dependency& dependency) {
        return std::tuple(dependency.from, dependency.to, dependency.operand, dependency.bits);
      }))
    return "dependencies";
  if (a.node_order != b.node_order || a.topological_order != b.topological_order) return "orders";
  if (a.predecessors != b.predecessors || a.successors != b.successors) return "neighbours";
  return "";
}

}  // namespace

TEST_CASE("graphs of partitions are those of the same hints, whatever was kept before") {
  for (const std::string network : {"resnet18.onnx", "mobilenet_v2.onnx", "transformer_encoder.onnx"}) {
    CAPTURE(network);
    const test::ShippedCase shipped(network, "systolic_quad_core");
    core::PartitionGraphs graphs(shipped.workload, shipped.accelerator,
                                 core::cut_menus(shipped.workload, {{}, 60}));
    core::RandomNumbers random(7, 0);
    core::Partition partition(graphs.cuts().size(), 0);
    for (int round = 0; round < 6; ++round) {
      // A few layers change, as in a search, and then all.
      for (std::size_t layer = 0; layer < partition.size(); ++layer)
        if (round == 0 || round == 5 || random.below(8) == 0)
          partition[layer] = random.below(static_cast<int>(graphs.cuts()[layer].size()));
      core::SplitOptions options;
      options.mode = core::split_by_layer;
      options.cut_entries = core::cut_entries_of(partition, graphs.cuts(), shipped.workload);
      std::vector<std::string> warnings;
      CHECK(difference(*graphs.graph(partition),
                       core::split_into_nodes(shipped.workload, *shipped.accelerator, options, warnings)) ==
            "");
    }
  }
}
