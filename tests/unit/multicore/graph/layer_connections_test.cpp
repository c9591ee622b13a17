#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <tuple>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"

namespace zz::test {
namespace {

using core::ComputationNodeGraph;
using core::Dependency;
using core::InputError;
using core::ShapeChange;
using core::SplitOptions;

/// (layer id, sub id, layer id, sub id, operand) of the dependencies that carry data.
using Edge = std::tuple<std::int64_t, int, std::int64_t, int, int>;

std::multiset<Edge> edges_of(const ComputationNodeGraph& graph) {
  std::multiset<Edge> edges;
  for (const Dependency& edge : graph.dependencies) {
    if (edge.operand >= 0)
      edges.emplace(graph.layer_id(edge.from), graph.nodes[edge.from].sub_id, graph.layer_id(edge.to),
                    graph.nodes[edge.to].sub_id, edge.operand);
  }
  return edges;
}

SplitOptions rows(std::optional<std::int64_t> count, bool as_stream) {
  SplitOptions options;
  options.loops = {{"OY", count}};
  options.rules = as_stream ? core::rules_of("stream-0.0.8") : core::Rules{};
  return options;
}

/// An image of 4 rows, one by one kernels.
ConvSizes image(std::int64_t channels_in, std::int64_t channels_out) {
  ConvSizes sizes;
  sizes.c = channels_in;
  sizes.k = channels_out;
  sizes.oy = sizes.iy = 4;
  sizes.ox = sizes.ix = 3;
  return sizes;
}

ShapeChange change(ShapeChange::Kind kind, std::int64_t axis = 0, std::vector<std::int64_t> shape = {}) {
  return {kind, std::move(shape), {}, axis};
}

}  // namespace

TEST_CASE("an order of nodes that is incomplete or wrong is an error that names the node") {
  NetworkBuilder network;
  network.add(conv_layer(3, image(2, 2), -1));
  network.add(conv_layer(7, image(2, 2), 3));
  ComputationNodeGraph graph = split(network.workload(), rows(4, false));
  const auto message = [&] {
    try {
      graph.index();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::vector<int> order = graph.node_order;
  REQUIRE_EQ(order.size(), 8);
  CHECK_EQ(message(), "no error");
  graph.node_order.erase(std::find(graph.node_order.begin(), graph.node_order.end(), 5));
  const std::string name = "node 1 of layer 7 '" + graph.layers[1].layer->name + "'";
  CHECK_NE(message().find("leaves out " + name), std::string::npos);
  graph.node_order.push_back(6);
  CHECK_NE(message().find("names node 2 of layer 7"), std::string::npos);
  CHECK_NE(message().find("twice"), std::string::npos);
  graph.node_order = order;
  graph.node_order.back() = 8;
  CHECK_NE(message().find("names number 8; expected 0 to 7"), std::string::npos);
  graph.node_order.clear();
  CHECK_NE(message().find("leaves out node 0 of layer 3"), std::string::npos);
}

TEST_CASE("residual connections: each operand depends on its own source") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 2), -1));
  network.add(conv_layer(1, image(2, 2), 0));
  network.add(add_layer(2, 1, 2, 4, 3, 0, 1));
  const std::multiset<Edge> right = {{0, 0, 1, 0, 2}, {0, 0, 2, 0, 1}, {1, 0, 2, 0, 2}};
  CHECK(edges_of(split(network.workload(), rows(1, false))) == right);
  const std::multiset<Edge> mixed_up = {{0, 0, 1, 0, 2}, {0, 0, 2, 0, 2}, {1, 0, 2, 0, 2}};
  CHECK(edges_of(split(network.workload(), rows(1, true))) == mixed_up);
}

TEST_CASE("a layer that reads the same data twice has two dependencies; one in compat") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 2), -1));
  network.add(add_layer(1, 1, 2, 4, 3, 0, 0));
  CHECK(edges_of(split(network.workload(), rows(1, false))) ==
        std::multiset<Edge>{{0, 0, 1, 0, 1}, {0, 0, 1, 0, 2}});
  CHECK(edges_of(split(network.workload(), rows(1, true))) == std::multiset<Edge>{{0, 0, 1, 0, 2}});
}

TEST_CASE("pieces of a sum run one after the other on one core, and only the last one feeds others") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(6, 2), -1));
  network.add(conv_layer(1, image(2, 2), 0));
  SplitOptions options;
  options.mode = 3;
  options.cut_entries = {{{0}, {{"C", 3}}}, {{1}, {}}};
  const ComputationNodeGraph right = split(network.workload(), options);
  CHECK(right.layers[0].group_count == 1);
  REQUIRE(right.dependencies.size() == 3);
  CHECK(right.dependencies[0].from == 0);
  CHECK(right.dependencies[0].to == 1);
  CHECK(right.dependencies[1].to == 2);
  CHECK(edges_of(right) == std::multiset<Edge>{{0, 2, 1, 0, 2}});
  CHECK(right.topological_order == std::vector<int>{0, 1, 2, 3});
  CHECK(right.tensors[right.nodes[2].tensors[0]].base_priority == 1);

  options.rules = core::rules_of("stream-0.0.8");
  const ComputationNodeGraph compat = split(network.workload(), options);
  CHECK(compat.layers[0].group_count == 3);
  CHECK(compat.dependencies.size() == 1);
}

TEST_CASE("groups of channels: only overlapping ones depend on each other") {
  NetworkBuilder network;
  ConvSizes first = image(2, 8), second = image(1, 1);
  second.g = 8;
  network.add(conv_layer(0, first, -1));
  network.add(conv_layer(1, second, 0));
  SplitOptions options;
  options.mode = 3;
  options.cut_entries = {{{0}, {{"K", 4}}}, {{1}, {{"G", 4}}}};
  const ComputationNodeGraph right = split(network.workload(), options);
  CHECK(edges_of(right) ==
        std::multiset<Edge>{{0, 0, 1, 0, 2}, {0, 1, 1, 1, 2}, {0, 2, 1, 2, 2}, {0, 3, 1, 3, 2}});

  // Groups of two channels each: in compat the lower end of a tile forgets that there are two.
  second.g = 4;
  second.c = 2;
  NetworkBuilder wide;
  wide.add(conv_layer(0, first, -1));
  wide.add(conv_layer(1, second, 0));
  CHECK(edges_of(split(wide.workload(), options)).size() == 4);
  options.rules = core::rules_of("stream-0.0.8");
  CHECK(edges_of(split(wide.workload(), options)).size() > 4);
}

TEST_CASE("padding is neither moved nor counted; in compat it is") {
  NetworkBuilder network;
  ConvSizes sizes = image(2, 2);
  sizes.fy = sizes.fx = 3;
  sizes.padding = 1;
  network.add(conv_layer(0, sizes, -1));
  const ComputationNodeGraph right = split(network.workload(), rows(std::nullopt, false));
  const ComputationNodeGraph compat = split(network.workload(), rows(std::nullopt, true));
  CHECK(right.tensors[right.nodes[0].tensors[2]].bits == 2 * 2 * 3 * 8);
  CHECK(right.tensors[right.nodes[1].tensors[2]].bits == 2 * 3 * 3 * 8);
  CHECK(compat.tensors[compat.nodes[0].tensors[2]].bits == 2 * 3 * 5 * 8);
  CHECK(compat.layers[0].data_ranges(0) == std::vector<core::Range>{{-1, 2}, {-1, 4}});
}

TEST_CASE("rows that exist only to make pieces equal count in compat alone") {
  NetworkBuilder network;
  ConvSizes sizes = image(2, 2);
  sizes.oy = sizes.iy = 7;
  network.add(conv_layer(0, sizes, -1));
  const ComputationNodeGraph right = split(network.workload(), rows(2, false));
  const ComputationNodeGraph compat = split(network.workload(), rows(2, true));
  CHECK(right.nodes[0].produced_bits == 2 * 4 * 3 * 8);
  CHECK(right.nodes[1].produced_bits == 2 * 3 * 3 * 8);
  CHECK(compat.nodes[1].produced_bits == 2 * 4 * 3 * 8);
}

TEST_CASE("flattening: bits are what they are; in compat they are counted again") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 4), -1));
  network.add(1, change(ShapeChange::Kind::flatten, 1), {0});
  network.add(gemm_layer(2, 1, 4 * 4 * 3, 5, 1));
  SplitOptions options;
  options.loops = {{"K", 2}};
  const ComputationNodeGraph right = split(network.workload(), options);
  CHECK(edges_of(right).size() == 2 * 2);
  CHECK(right.nodes[0].produced_bits == 2 * 4 * 3 * 8);
  options.rules = core::rules_of("stream-0.0.8");
  const ComputationNodeGraph compat = split(network.workload(), options);
  CHECK(edges_of(compat).size() == 2 * 2);
  CHECK(compat.nodes[0].produced_bits == 2 * 2 * 4 * 3 * 8);
}

TEST_CASE("rows stay rows and columns columns between operators; in compat they are exchanged") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 2), -1));
  network.add(1, {ShapeChange::Kind::transpose, {}, {0, 1, 3, 2}, 0}, {0});
  ConvSizes turned = image(2, 2);
  turned.oy = turned.iy = 3;
  turned.ox = turned.ix = 4;
  network.add(conv_layer(2, turned, 1));
  SplitOptions options;
  options.mode = 3;
  options.cut_entries = {{{0}, {{"OY", std::nullopt}}}, {{2}, {{"OX", std::nullopt}}}};
  CHECK(edges_of(split(network.workload(), options)) ==
        std::multiset<Edge>{{0, 0, 2, 0, 2}, {0, 1, 2, 1, 2}, {0, 2, 2, 2, 2}, {0, 3, 2, 3, 2}});
  options.rules = core::rules_of("stream-0.0.8");
  CHECK(edges_of(split(network.workload(), options)).size() > 4);
}

TEST_CASE("data that take two ways are followed on both") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 4), -1));
  network.add(conv_layer(1, image(4, 4), 0));
  network.add(2, change(ShapeChange::Kind::reshape, 0, {1, 4, 4, 3}), {0});
  network.add(add_layer(3, 1, 4, 4, 3, 1, 2));
  const std::multiset<Edge> edges = edges_of(split(network.workload(), rows(1, false)));
  CHECK(edges == std::multiset<Edge>{{0, 0, 1, 0, 2}, {1, 0, 3, 0, 1}, {0, 0, 3, 0, 2}});
}

TEST_CASE("pieces that a concatenation joins are where it puts them") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 4), -1));
  network.add(conv_layer(1, image(2, 2), -1));
  network.add(2, {ShapeChange::Kind::concat, {1, 6, 4, 3}, {0, 4}, 1}, {0, 1});
  network.add(conv_layer(3, image(6, 2), 2));
  SplitOptions options;
  options.mode = 3;
  options.cut_entries = {{{0}, {{"K", 2}}}, {{1}, {}}, {{3}, {{"C", 3}}}};
  CHECK(edges_of(split(network.workload(), options)) ==
        std::multiset<Edge>{{0, 0, 3, 0, 2}, {0, 1, 3, 1, 2}, {1, 0, 3, 2, 2}});
}

TEST_CASE("data that a concatenation takes twice are in both places") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 4), -1));
  network.add(1, change(ShapeChange::Kind::none), {0});
  network.add(2, {ShapeChange::Kind::concat, {1, 12, 4, 3}, {0, 4, 8}, 1}, {1, 0, 1});
  network.add(conv_layer(3, image(12, 2), 2));
  SplitOptions options;
  options.mode = 3;
  options.cut_entries = {{{0}, {{"K", 2}}}, {{3}, {{"C", 6}}}};
  CHECK(edges_of(split(network.workload(), options)) == std::multiset<Edge>{{0, 0, 3, 0, 2},
                                                                            {0, 1, 3, 1, 2},
                                                                            {0, 0, 3, 2, 2},
                                                                            {0, 1, 3, 3, 2},
                                                                            {0, 0, 3, 4, 2},
                                                                            {0, 1, 3, 5, 2}});
}

TEST_CASE("one value for a whole image feeds every piece of it") {
  NetworkBuilder network;
  ConvSizes point = image(2, 2);
  point.oy = point.ox = point.iy = point.ix = 1;
  network.add(conv_layer(0, image(2, 2), -1));
  network.add(conv_layer(1, point, -1));
  network.add(2, change(ShapeChange::Kind::none), {0, 1});
  network.add(conv_layer(3, image(2, 2), 2));
  const std::multiset<Edge> edges = edges_of(split(network.workload(), rows(2, false)));
  CHECK(edges == std::multiset<Edge>{{0, 0, 3, 0, 2}, {0, 1, 3, 1, 2}, {1, 0, 3, 0, 2}, {1, 0, 3, 1, 2}});
}

TEST_CASE("behind an operator that resizes, every piece waits for all") {
  NetworkBuilder network;
  ConvSizes large = image(2, 2);
  large.oy = large.iy = 8;
  network.add(conv_layer(0, image(2, 2), -1));
  network.add(1, change(ShapeChange::Kind::none), {0}, 2 * 8 * 3);
  network.add(conv_layer(2, large, 1));
  std::vector<std::string> warnings;
  const ComputationNodeGraph graph =
      core::split_into_nodes(network.workload(), {}, rows(2, false), warnings);
  CHECK(edges_of(graph).size() == 4);
  CHECK(warnings.size() == 1);
}

TEST_CASE("the same data under other axes are followed row by row") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 4), -1));
  network.add(gemm_layer(1, 4, 12, 2, 0));
  SplitOptions options;
  options.loops = {{"K", 4}, {"D", 4}};
  const std::multiset<Edge> edges = edges_of(split(network.workload(), options));
  CHECK(edges.size() == 8);
  for (const auto& [from, producer, to, consumer, operand] : edges) CHECK(producer == consumer / 2);
}

TEST_CASE("where elements cannot be followed, every piece waits for all") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 4), -1));
  network.add(gemm_layer(1, 5, 5, 2, 0));
  network.add(2, change(ShapeChange::Kind::reshape, 0, {7, 7}), {0});
  network.add(gemm_layer(3, 6, 6, 2, 2));
  network.add(4, change(ShapeChange::Kind::all), {0});
  network.add(gemm_layer(5, 4, 12, 2, 4));
  std::vector<std::string> warnings;
  SplitOptions options;
  options.loops = {{"OY", 2}, {"D", 1}};
  const ComputationNodeGraph graph = core::split_into_nodes(network.workload(), {}, options, warnings);
  CHECK(edges_of(graph) == std::multiset<Edge>{{0, 0, 1, 0, 2},
                                               {0, 1, 1, 0, 2},
                                               {0, 0, 3, 0, 2},
                                               {0, 1, 3, 0, 2},
                                               {0, 0, 5, 0, 2},
                                               {0, 1, 5, 0, 2}});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find(
            "3 connections of layers are not followed element by element, the first from layer 0 "
            "'conv0' to operand I of layer 1 'gemm1' (") == 0);
}

TEST_CASE("a row comes from the piece that writes it, or from all pieces") {
  for (const bool whole_rows : {true, false}) {
    CAPTURE(whole_rows);
    NetworkBuilder network;
    network.add(conv_layer(0, image(2, 4), -1));
    ShapeChange rows_of_data = change(ShapeChange::Kind::rows, 3, {1, 4, 4, 3});
    rows_of_data.from = {1, 4, 4, 3};
    network.add(1, rows_of_data, {0});
    network.add(conv_layer(2, image(4, 4), 1));
    SplitOptions options;
    options.loops = {{whole_rows ? "OY" : "OX", whole_rows ? 4 : 3}};
    CHECK(edges_of(split(network.workload(), options)).size() == (whole_rows ? 4 : 9));
  }
}

TEST_CASE("many forks and joins do not end a run: what is behind waits for all") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 2), -1));
  std::int64_t id = 0;
  for (int fork = 0; fork < 24; ++fork) {
    ShapeChange turned = change(ShapeChange::Kind::transpose, 0);
    turned.indices = {0, 1, 2, 3};
    network.add(id + 1, turned, {id});
    network.add(id + 2, turned, {id});
    network.add(id + 3, change(ShapeChange::Kind::none), {id + 1, id + 2});
    id += 3;
  }
  network.add(conv_layer(id + 1, image(2, 2), id));
  std::vector<std::string> warnings;
  const ComputationNodeGraph graph =
      core::split_into_nodes(network.workload(), {}, rows(2, false), warnings);
  CHECK(edges_of(graph).size() == 4);
  REQUIRE(!warnings.empty());
  CHECK(warnings[0].find("paths of operators lie between layer 73 'conv73' and other layers: it waits") !=
        std::string::npos);
}

TEST_CASE("hints on loops that no layer has are named, with the nearest one") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 4), -1));
  SplitOptions options;
  options.loops = {{"OZ", 2}};
  CHECK_THROWS_WITH_AS(split(network.workload(), options),
                       doctest::Contains("hint loops name 'OZ', which is no loop of any layer of 'small'"),
                       InputError);
  options.rules = core::rules_of("stream-0.0.8");
  std::vector<std::string> warnings;
  CHECK(core::split_into_nodes(network.workload(), {}, options, warnings).nodes.size() == 1);
  CHECK(warnings.size() == 1);
}

TEST_CASE("a network that goes in circles is refused") {
  NetworkBuilder network;
  network.add(conv_layer(0, image(2, 2), 1));
  network.add(conv_layer(1, image(2, 2), 0));
  CHECK_THROWS_AS(split(network.workload(), rows(1, false)), InputError);
  CHECK_THROWS_AS(split(network.workload(), rows(1, true)), InputError);
}

// Stream 0.0.8 refuses these networks.
TEST_CASE("attention heads are cut and connected") {
  if (recorded_cases().empty()) MESSAGE("skipped: no recorded cases beside the checkout");
  for (const char* name : {"attention_no_norm_lbl", "attention_no_norm_d4", "attention_no_norm_k4"}) {
    if (recorded_cases().empty()) break;
    CAPTURE(name);
    for (const bool as_stream : {false, true}) {
      RecordedNetwork network = recorded_network(recorded_case(name));
      network.options.rules = as_stream ? core::rules_of("stream-0.0.8") : core::Rules{};
      std::vector<std::string> warnings;
      const ComputationNodeGraph graph =
          core::split_into_nodes(network.workload, network.accelerator, network.options, warnings);
      std::set<std::tuple<int, std::int64_t, int>> reads;
      for (const auto& [from, producer, to, consumer, operand] : edges_of(graph))
        reads.emplace(graph.layers[graph.layer_index(to)].first_node + consumer, from, operand);
      // The second product reads the first one and the transposed one, the third the second and values.
      const int second = graph.layer_index(4), third = graph.layer_index(5);
      for (int n = 0; n < graph.layers[second].node_count; ++n) {
        const int node = graph.layers[second].first_node + n;
        CHECK(reads.count({node, 0, 1}) + reads.count({node, 0, 2}) == 1);
        CHECK(reads.count({node, 1, 1}) + reads.count({node, 1, 2}) == 1);
      }
      for (int n = 0; n < graph.layers[third].node_count; ++n) {
        const int node = graph.layers[third].first_node + n;
        CHECK(reads.count({node, 4, 1}) + reads.count({node, 4, 2}) == 1);
        CHECK(reads.count({node, 2, 1}) + reads.count({node, 2, 2}) == 1);
      }
    }
  }
}

TEST_CASE("dependencies that would take too much memory are counted before they are made") {
  // Each of the 8,192 pieces of one layer waits for each of those of the other: 4 GB.
  constexpr std::int64_t channels = 8192;
  NetworkBuilder network;
  network.add(conv_layer(0, image(1, channels), -1));
  network.add(conv_layer(1, image(channels, channels), 0));
  SplitOptions options;
  options.loops = {{"K", channels}};
  CHECK_THROWS_WITH_AS(
      split(network.workload(), options),
      doctest::Contains(
          "would be cut into 16384 computation nodes with 67108864 dependencies, which take 4.3 GB"),
      InputError);
}

}  // namespace zz::test
