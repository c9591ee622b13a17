#include <doctest/doctest.h>
#include <memory>

#include "core/multicore/graph/layer_stacks.hpp"

using namespace zz;

namespace {

/// Layers 3, 5 and 8 with two nodes each: nodes 0 to 5.
core::ComputationNodeGraph three_layers() {
  core::ComputationNodeGraph graph;
  for (const std::int64_t id : {3, 5, 8}) {
    auto layer = std::make_shared<core::Layer>();
    layer->id = id;
    core::CutLayer& cut_layer = graph.layers.emplace_back();
    cut_layer.layer = layer;
    cut_layer.first_node = static_cast<int>(graph.nodes.size());
    cut_layer.node_count = 2;
    graph.nodes.resize(graph.nodes.size() + 2);
  }
  return graph;
}

}  // namespace

TEST_CASE("the deepest layer and its last node are scheduled first") {
  CHECK(core::deepest_first(three_layers(), {}) == std::vector<int>{5, 4, 3, 2, 1, 0});
}

TEST_CASE("stacks come one after the other, layers in none of them last") {
  CHECK(core::deepest_first(three_layers(), {{3}, {5, 8}}) == std::vector<int>{1, 0, 5, 4, 3, 2});
  CHECK(core::deepest_first(three_layers(), {{5, 99}, {5}}) == std::vector<int>{3, 2, 5, 4, 1, 0});
}
