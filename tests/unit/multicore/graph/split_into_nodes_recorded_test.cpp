#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <sha2.h>
#include <string>

#include "core/multicore/graph/split.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"

// Every graph of computation nodes that Stream 0.0.8 is known to build, to the last edge and in its order.
namespace zz::test {
namespace {

using core::ComputationNode;
using core::ComputationNodeGraph;
using core::CutLayer;
using core::Dependency;
using nlohmann::ordered_json;

std::string sha256(const std::string& text) {
  char digest[SHA256_DIGEST_STRING_LENGTH];
  return SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digest);
}

std::map<std::string, core::Range> ranges_of(const ComputationNodeGraph& graph,
                                             const ComputationNode& node) {
  const CutLayer& cut_layer = graph.layers[node.layer];
  std::map<std::string, core::Range> ranges;
  const std::vector<core::Range> loops = cut_layer.loop_ranges(node.sub_id),
                                 data = cut_layer.data_ranges(node.sub_id);
  for (std::size_t i = 0; i < loops.size(); ++i) ranges[cut_layer.layer->loops[i].name] = loops[i];
  for (std::size_t i = 0; i < data.size(); ++i) ranges[cut_layer.layer->relations[i].data] = data[i];
  return ranges;
}

/// One line per node, as the recording's README defines them.
std::string node_lines(const ComputationNodeGraph& graph) {
  std::string lines;
  for (const ComputationNode& node : graph.nodes) {
    const core::Layer& layer = *graph.layers[node.layer].layer;
    std::string ranges, bits;
    for (const auto& [name, range] : ranges_of(graph, node))
      ranges += (ranges.empty() ? "" : ",") + name + "=" + std::to_string(range.low) + ":" +
                std::to_string(range.high);
    std::map<std::string, std::int64_t> bits_of;
    for (std::size_t i = 0; i < layer.operands.size(); ++i)
      bits_of[layer.operands[i].name] = graph.tensors[node.tensors[i]].bits;
    for (const auto& [name, size] : bits_of)
      bits += (bits.empty() ? "" : ",") + name + "=" + std::to_string(size);
    lines += std::to_string(layer.id) + " " + std::to_string(node.sub_id) + " " +
             std::to_string(node.group) + " " + ranges + " " + bits + " " +
             std::to_string(node.produced_bits) + "\n";
  }
  return lines;
}

std::string operand_name(const ComputationNodeGraph& graph, const Dependency& edge) {
  if (edge.operand < 0) return "-";
  return graph.layers[graph.nodes[edge.to].layer].layer->operands[edge.operand].name;
}

using RecordedEdge = std::tuple<std::int64_t, int, std::int64_t, int, std::string, std::int64_t>;

RecordedEdge edge_of(const ComputationNodeGraph& graph, const Dependency& edge) {
  return {graph.layer_id(edge.from),   graph.nodes[edge.from].sub_id, graph.layer_id(edge.to),
          graph.nodes[edge.to].sub_id, operand_name(graph, edge),     edge.bits};
}

std::string edge_lines(const ComputationNodeGraph& graph) {
  std::vector<RecordedEdge> edges;
  for (const Dependency& edge : graph.dependencies) edges.push_back(edge_of(graph, edge));
  std::sort(edges.begin(), edges.end());
  std::string lines;
  for (const auto& [from, from_sub, to, to_sub, operand, bits] : edges)
    lines += std::to_string(from) + " " + std::to_string(from_sub) + " " + std::to_string(to) + " " +
             std::to_string(to_sub) + " " + operand + " " + std::to_string(bits) + "\n";
  return lines;
}

void check_layers(const ComputationNodeGraph& graph, const ordered_json& recorded) {
  for (const auto& [id, expected] : recorded["per_layer"].items()) {
    const int index = graph.layer_index(std::stoll(id));
    REQUIRE(index >= 0);
    const CutLayer& cut_layer = graph.layers[index];
    CHECK(cut_layer.node_count == expected["nb_cns"]);
    CHECK(cut_layer.group_count == expected["nb_groups"]);
    for (const auto& [operand, bits] : expected["operand_bits_of_first_cn"].items())
      CHECK(
          graph.tensors[graph.nodes[cut_layer.first_node].tensors[cut_layer.layer->operand_index(operand)]]
              .bits == bits);
  }
  std::map<std::string, std::pair<int, std::int64_t>> pairs;
  for (const Dependency& edge : graph.dependencies) {
    const std::string operand = edge.operand < 0 ? "None" : operand_name(graph, edge);
    auto& [count, bits] = pairs[std::to_string(graph.layer_id(edge.from)) + "->" +
                                std::to_string(graph.layer_id(edge.to)) + ":" + operand];
    ++count;
    bits += edge.bits;
  }
  for (const auto& row : recorded["edges_per_layer_pair_count_and_bits"].items()) {
    const std::string& pair = row.key();
    const auto& expected = row.value();
    if (pair.ends_with("None") || pair.ends_with("intra") || pair.ends_with("-")) continue;
    INFO(pair);
    REQUIRE(pairs.count(pair) == 1);
    CHECK(pairs[pair].first == expected[0]);
    CHECK(pairs[pair].second == expected[1]);
  }
}

/// The nodes that read from a box were found in an order of no consequence; those found element by element
/// (here: behind the flattening) in a fixed one.
void sort_boxes(const ComputationNodeGraph& graph, std::vector<RecordedEdge>& edges) {
  for (auto first = edges.begin(); first != edges.end();) {
    const std::int64_t to = std::get<2>(*first);
    const auto last =
        std::find_if(first, edges.end(), [&](const RecordedEdge& edge) { return std::get<2>(edge) != to; });
    if (graph.layers[graph.layer_index(to)].layer->type != "gemm") std::sort(first, last);
    first = last;
  }
}

/// Order of nodes, tensors and priorities; edges by the node that they come from, in their order.
void check_details(const ComputationNodeGraph& graph, const ordered_json& recorded) {
  REQUIRE(recorded["node_insertion_order"].size() == graph.nodes.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const int node = graph.node_order[i];
    wrong += recorded["node_insertion_order"][i] !=
             ordered_json({graph.layer_id(node), graph.nodes[node].sub_id});
  }
  CHECK(wrong == 0);

  std::map<std::pair<std::int64_t, int>, int> index_of;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    index_of[{graph.layer_id(static_cast<int>(n)), graph.nodes[n].sub_id}] = static_cast<int>(n);
  wrong = 0;
  REQUIRE(recorded["nodes"].size() == graph.nodes.size());
  for (const ordered_json& expected : recorded["nodes"]) {
    const ComputationNode& node = graph.nodes[index_of.at({expected["id"], expected["sub_id"]})];
    const core::Layer& layer = *graph.layers[node.layer].layer;
    wrong += node.final_output != expected["produces_final_output"].get<bool>();
    wrong += node.group != expected["group"];
    for (const auto& [name, tensor] : expected["tensors"].items()) {
      const core::PieceTensor& own = graph.tensors[node.tensors[layer.operand_index(name)]];
      const std::int64_t priority =
          tensor["base_priority"].is_null() ? -1 : tensor["base_priority"].get<std::int64_t>();
      wrong += own.base_priority != priority;
      wrong += own.bits != tensor["bits"];
      wrong += ordered_json({graph.layer_id(own.first_node), graph.nodes[own.first_node].sub_id, name}) !=
               tensor["tensor"];
    }
  }
  CHECK(wrong == 0);

  // The recording lists edges by the node that they come from.
  std::vector<std::vector<RecordedEdge>> outgoing(graph.nodes.size());
  REQUIRE(recorded["edges"].size() == graph.dependencies.size());
  for (const ordered_json& edge : recorded["edges"])
    outgoing[index_of.at({edge[0], edge[1]})].emplace_back(
        edge[0], edge[1], edge[2], edge[3], edge[4].is_null() ? "-" : edge[4].get<std::string>(), edge[5]);
  wrong = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    std::vector<RecordedEdge> own;
    for (int i = graph.successor_begin[n]; i < graph.successor_begin[n + 1]; ++i)
      own.push_back(edge_of(graph, graph.dependencies[graph.successors[i]]));
    sort_boxes(graph, own);
    sort_boxes(graph, outgoing[n]);
    wrong += own != outgoing[n];
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("graphs of computation nodes are those of Stream 0.0.8") {
  const std::vector<std::string> names = recorded_case_names();
  if (names.empty()) MESSAGE("skipped: no recorded cases beside the checkout");
  for (const std::string& name : names) {
    CAPTURE(name);
    const ordered_json recorded = recorded_case(name);
    const RecordedNetwork network = recorded_network(recorded);
    std::vector<std::string> warnings;
    const ComputationNodeGraph graph =
        core::split_into_nodes(network.workload, network.accelerator, network.options, warnings);
    const ordered_json& expected = recorded["cn_graph"];
    CHECK(graph.nodes.size() == expected["nb_nodes"]);
    CHECK(graph.dependencies.size() == expected["nb_edges"]);
    CHECK(sha256(node_lines(graph)) == expected["nodes_sha256"].get<std::string>());
    CHECK(sha256(edge_lines(graph)) == expected["edges_sha256"].get<std::string>());
    check_layers(graph, expected);
    check_details(graph, recorded_details(name)["cn_graph"]);
  }
}

}  // namespace zz::test
