#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/search/locality/locality_search.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

using Positions = std::vector<int>;

TEST_CASE("layer graph: what feeds a chain of pass-through nodes feeds what the chain feeds") {
  const LayerGraph graph(
      network({product_layer(0), product_layer(1)}, {{0, 10}, {10, 11}, {11, 12}, {12, 1}}, {10, 11, 12}));
  REQUIRE(graph.layers.size() == 2);
  CHECK(graph.layers[0]->id == 0);
  CHECK(graph.predecessors[1] == Positions{0});
  CHECK(graph.successors[0] == Positions{1});
  CHECK(graph.predecessors[0].empty());
}

TEST_CASE("layer graph: a pass-through node that forks connects its producer to each reader, once") {
  const LayerGraph graph(network({product_layer(0), product_layer(1), product_layer(2)},
                                 {{0, 10}, {10, 1}, {10, 2}, {0, 2}}, {10}));
  CHECK(graph.successors[0].size() == 2);
  CHECK(graph.predecessors[2] == Positions{0});
}

TEST_CASE("layer graph: direct connections come before those around a pass-through node") {
  // Layer 2 reads node 10 first, and then layer 1; the edge from layer 0 is made later.
  const LayerGraph graph(
      network({product_layer(0), product_layer(1), product_layer(2)}, {{0, 10}, {10, 2}, {1, 2}}, {10}));
  CHECK(graph.predecessors[2] == Positions{1, 0});
}

TEST_CASE("layer graph: a cycle is an error") {
  CHECK_THROWS_AS(LayerGraph(network({product_layer(0), product_layer(1)}, {{0, 1}, {1, 0}})), InputError);
}
