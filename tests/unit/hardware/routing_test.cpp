#include <doctest/doctest.h>

#include "core/hardware/interconnect.hpp"

using namespace zz::core;

namespace {

/// Connections in the given order, each with the link of its position.
Routing routing(int cores, std::vector<std::pair<int, int>> pairs) {
  std::vector<Connection> connections;
  for (const auto& [from, to] : pairs)
    connections.push_back({from, to, static_cast<int>(connections.size())});
  return Routing(cores, connections);
}

using Links = std::vector<int>;

}  // namespace

TEST_CASE("a route is the shortest way along directed connections") {
  const Routing ring = routing(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  CHECK(ring.route(0, 1) == Links{0});
  CHECK(ring.route(0, 3) == Links{0, 1, 2});
  CHECK(ring.route(1, 0) == Links{1, 2, 3});
  CHECK(ring.route(2, 2).empty());
}

TEST_CASE("of two cores between, the one with the destination's earlier connection is on the route") {
  // The start names 1 first, but the destination is reached from 2 first.
  const Routing diamond = routing(4, {{0, 1}, {0, 2}, {2, 3}, {1, 3}});
  CHECK(diamond.route(0, 3) == Links{1, 2});
}

TEST_CASE("a route may lead through several cores from both ends") {
  const Routing line = routing(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 4}, {4, 3}});
  CHECK(line.route(0, 5) == Links{0, 1, 2, 3, 4});
  CHECK(line.route(5, 3) == Links{5, 6});
}

TEST_CASE("without a way there is no route") {
  const Routing apart = routing(3, {{0, 1}});
  CHECK(apart.route(1, 0).empty());
  CHECK(apart.route(0, 2).empty());
}
