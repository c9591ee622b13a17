#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/multicore/graph/cut.hpp"
#include "core/multicore/graph/split.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

namespace zz::test {
namespace {

using core::CutLoop;
using core::Layer;
using core::MultiCoreAccelerator;
using core::NodeLoop;
using core::SplitOptions;

const std::vector<NodeLoop> uncut = {{0, 1}};

Layer layer_of_rows(std::int64_t rows) {
  ConvSizes sizes;
  sizes.k = 12;
  sizes.c = 4;
  sizes.oy = sizes.iy = rows;
  sizes.ox = sizes.ix = 6;
  return conv_layer(0, sizes, -1);
}

struct Cut {
  Layer layer;
  std::vector<NodeLoop> loops;
  std::vector<std::string> warnings;
};

Cut cut(Layer layer, const SplitOptions& options, const MultiCoreAccelerator& accelerator = {}) {
  Cut result{std::move(layer), {}, {}};
  result.loops = core::outer_loops(result.layer, accelerator, options, result.warnings);
  return result;
}

SplitOptions hints(int mode, std::vector<CutLoop> loops) {
  SplitOptions options;
  options.mode = mode;
  options.loops = std::move(loops);
  return options;
}

NodeLoop outer(const char* name, std::int64_t count) { return {layer_of_rows(1).loop_index(name), count}; }

/// Two cores whose weight memories hold so many bits.
MultiCoreAccelerator weight_memories(std::int64_t first, std::int64_t second) {
  MultiCoreAccelerator accelerator = zz::test::cores_with_memories({first, second});
  accelerator.offchip_core.reset();
  return accelerator;
}

}  // namespace

TEST_CASE("mode 1: hints are outer loops, the first one innermost") {
  const Cut both = cut(layer_of_rows(8), hints(1, {{"K", 3}, {"OY", std::nullopt}}));
  CHECK(both.loops == std::vector<NodeLoop>{outer("K", 3), outer("OY", 8)});
  CHECK(cut(layer_of_rows(8), hints(1, {{"OY", 20}})).loops == std::vector<NodeLoop>{outer("OY", 8)});
  CHECK(cut(layer_of_rows(8), hints(1, {{"D", 2}})).loops == uncut);
  CHECK(cut(layer_of_rows(8), hints(1, {})).loops == uncut);
  CHECK(cut(layer_of_rows(8), hints(1, {{"OY", 2}, {"OY", 4}})).loops ==
        std::vector<NodeLoop>{outer("OY", 2), outer("OY", 4)});
}

TEST_CASE("the last piece of a loop that a hint does not divide is smaller") {
  const Cut uneven = cut(layer_of_rows(10), hints(1, {{"OY", 4}}));
  CHECK(uneven.loops == std::vector<NodeLoop>{outer("OY", 4)});
  CHECK(uneven.layer.loop_size("OY") == 10);
  CHECK(uneven.warnings.empty());
}

TEST_CASE("540 rows in pieces of 14 are 38 of 14 and one of 8") {
  NetworkBuilder network;
  network.add(layer_of_rows(540));
  std::vector<std::string> warnings;
  const core::ComputationNodeGraph graph =
      core::split_into_nodes(network.workload(), {}, hints(1, {{"OY", 39}}), warnings);
  CHECK(warnings.empty());
  const core::CutLayer& cut_layer = graph.layers.front();
  CHECK(cut_layer.piece->loop_size("OY") == 14);
  REQUIRE(cut_layer.smaller_pieces.size() == 1);
  CHECK(cut_layer.smaller_pieces[0].node_count == 1);
  CHECK(cut_layer.smaller_pieces[0].piece->loop_size("OY") == 8);
  for (int node = 0; node < 38; ++node) CHECK(graph.nodes[node].shape == 0);
  CHECK(graph.nodes[38].shape == 1);
}

TEST_CASE("where several loops end, nodes have a shape for each corner") {
  NetworkBuilder network;
  network.add(layer_of_rows(10));  // K has 12 iterations
  std::vector<std::string> warnings;
  const core::ComputationNodeGraph graph =
      core::split_into_nodes(network.workload(), {}, hints(1, {{"K", 5}, {"OY", 4}}), warnings);
  const core::CutLayer& cut_layer = graph.layers.front();
  // 12 of K in pieces of 3 are four only.
  REQUIRE(cut_layer.node_count == 16);
  CHECK(cut_layer.smaller_pieces.size() == 1);
  const core::ComputationNodeGraph corners =
      core::split_into_nodes(network.workload(), {}, hints(1, {{"OX", 4}, {"OY", 4}}), warnings);
  const core::CutLayer& both = corners.layers.front();
  CHECK(both.node_count == 12);  // 6 columns in threes of two, 10 rows as 3, 3, 3 and 1
  std::int64_t iterations = 0;
  for (const core::ComputationNode& node : corners.nodes)
    iterations += node_pieces(both)[static_cast<std::size_t>(node.shape)]->mac_count();
  CHECK(iterations == both.layer->mac_count());
}

TEST_CASE("a loop that is cut twice has no piece without iterations") {
  const Cut twice = cut(layer_of_rows(10), hints(1, {{"OY", 3}, {"OY", 3}}));
  // Six pieces would be of two, and five of these are enough.
  CHECK(twice.loops == std::vector<NodeLoop>{outer("OY", 3), outer("OY", 1)});
}

TEST_CASE("compat: a loop that a hint does not divide is enlarged") {
  SplitOptions options = hints(1, {{"OY", 4}});
  options.rules = core::rules_of("stream-0.0.8");
  const Cut uneven = cut(layer_of_rows(10), options);
  CHECK(uneven.loops == std::vector<NodeLoop>{outer("OY", 4)});
  CHECK(uneven.layer.loop_size("OY") == 12);
}

TEST_CASE("compat: however many loops are enlarged, one sentence says so") {
  NetworkBuilder network;
  std::vector<std::string> warnings;
  const auto split_into = [&](std::int64_t pieces) {
    warnings.clear();
    SplitOptions options = hints(1, {{"OY", pieces}});
    options.rules = core::rules_of("stream-0.0.8");
    core::split_into_nodes(network.workload(), {}, options, warnings);
  };
  network.add(layer_of_rows(10));
  split_into(5);
  CHECK(warnings.empty());
  split_into(4);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        "1 loop is taken as larger, so that all pieces are equal: loop OY of layer 0 'conv0', "
        "10 iterations, as 12");
  for (const std::int64_t rows : {5, 7, 9}) {
    Layer layer = layer_of_rows(rows);
    layer.id = rows;
    layer.name = "of " + std::to_string(rows);
    network.add(layer);
  }
  split_into(4);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        "4 loops are taken as larger, so that all pieces are equal; by the most: loop OY of layer 5 "
        "'of 5', 5 iterations, as 8");
}

TEST_CASE("no piece is made of nothing, except in compat") {
  SplitOptions options = hints(1, {{"OY", 4}});
  const Cut right = cut(layer_of_rows(5), options);
  CHECK(right.loops == std::vector<NodeLoop>{outer("OY", 3)});
  CHECK(right.layer.loop_size("OY") == 5);
  options.rules = core::rules_of("stream-0.0.8");
  const Cut compat = cut(layer_of_rows(5), options);
  CHECK(compat.loops == std::vector<NodeLoop>{outer("OY", 4)});
  CHECK(compat.layer.loop_size("OY") == 8);
}

TEST_CASE("mode 2: hints are inner loops, what is left is outer") {
  const SplitOptions rows =
      hints(2, {{"OY", 4}, {"K", std::nullopt}, {"C", std::nullopt}, {"OX", std::nullopt}});
  CHECK(cut(layer_of_rows(8), rows).loops == std::vector<NodeLoop>{outer("OY", 2)});
  CHECK(cut(layer_of_rows(18), rows).loops == std::vector<NodeLoop>{outer("OY", 5)});
  SplitOptions compat = rows;
  compat.rules = core::rules_of("stream-0.0.8");
  // 4 does not divide 18; 3 and 6 do, and 3 is nearer.
  CHECK(cut(layer_of_rows(18), compat).loops == std::vector<NodeLoop>{outer("OY", 6)});
  CHECK(cut(layer_of_rows(8), hints(2, {{"OY", std::nullopt}})).loops ==
        std::vector<NodeLoop>{outer("K", 12), outer("C", 4), outer("OX", 6)});
  CHECK_THROWS_WITH_AS(cut(layer_of_rows(10007), compat),
                       "layer 0 'conv0': no inner loop of OY near the 4 iterations that the hint asks "
                       "for divides its size 10007",
                       core::InputError);
}

TEST_CASE("mode 3: hints by layer") {
  SplitOptions options;
  options.mode = 3;
  options.cut_entries = {{{4, 5}, {{"K", 2}}}, {{0, 1}, {{"OY", 2}}}, {{0}, {}}};
  CHECK(cut(layer_of_rows(8), options).loops == std::vector<NodeLoop>{outer("OY", 2)});
  options.cut_entries.resize(1);
  CHECK_THROWS_WITH_AS(
      cut(layer_of_rows(8), options),
      "layer 0 'conv0': mode 3 needs hint loops for each layer, but no entry names this one",
      core::InputError);
}

TEST_CASE("mode 4: layers are cut in K until the weights fit") {
  SplitOptions options = hints(4, {{"OY", 2}});
  // 12 * 4 weights of 8 bits.
  CHECK(cut(layer_of_rows(8), options, weight_memories(1000, 400)).loops ==
        std::vector<NodeLoop>{outer("OY", 2)});
  CHECK(cut(layer_of_rows(8), options, weight_memories(1000, 200)).loops ==
        std::vector<NodeLoop>{outer("OY", 2), outer("K", 2)});
  options.weight_share = 0.25;  // 384 / 50 = 7.68: the next divisor of 12 is 12
  CHECK(cut(layer_of_rows(8), options, weight_memories(1000, 200)).loops ==
        std::vector<NodeLoop>{outer("OY", 2), outer("K", 12)});
  Layer fixed = layer_of_rows(8);
  fixed.mapping.core_allocation = {1};
  CHECK(cut(fixed, options, weight_memories(1000, 200)).loops == std::vector<NodeLoop>{outer("OY", 2)});
  CHECK_THROWS_AS(cut(layer_of_rows(8), options, weight_memories(1000, 10)), core::InputError);
  Layer pooling = layer_of_rows(8);
  pooling.loops[2].name = "M";
  pooling.operands[0].dimensions[2] = pooling.operands[1].dimensions[1] = "M";
  CHECK_THROWS_WITH_AS(cut(pooling, options, weight_memories(1000, 200)),
                       doctest::Contains("but it has no loop K"), core::InputError);
}

TEST_CASE("mode 4 looks at the weights; in compat at the first constant, which may be the image") {
  SplitOptions options = hints(4, {});
  const MultiCoreAccelerator accelerator = weight_memories(500, 500);
  CHECK(cut(layer_of_rows(8), options, accelerator).loops == uncut);
  options.rules = core::rules_of("stream-0.0.8");  // 4 * 8 * 6 elements of 8 bits: 1536
  CHECK(cut(layer_of_rows(8), options, accelerator).loops == std::vector<NodeLoop>{outer("K", 4)});
}

TEST_CASE("an unknown mode is named") {
  CHECK_THROWS_WITH_AS(cut(layer_of_rows(8), hints(7, {})),
                       "the mode of splitting (cn_define_mode) is 7, expected 1 to 4", core::InputError);
}

}  // namespace zz::test
