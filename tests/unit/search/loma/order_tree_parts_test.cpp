// Several walks through a tree in parts: together all orders, each once, by part and in it as enumerated.
#include "core/search/loma/order_tree_parts.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <vector>

using namespace zz::core;

namespace {

using Order = std::vector<int>;

std::shared_ptr<const LoopLattice> lattice_of(const std::vector<int>& counts) {
  std::vector<RemainingLoop> loops;
  for (std::size_t item = 0; item < counts.size(); ++item)
    loops.insert(loops.end(), static_cast<std::size_t>(counts[item]), {static_cast<int>(item), 2});
  return LoopLattice::make(loops, 1000);
}

std::vector<int> kinds_of(const std::vector<int>& counts) {
  std::vector<int> kinds;
  for (std::size_t i = 0; i < counts.size(); ++i) kinds.push_back(static_cast<int>(i));
  return kinds;
}

Order order_of(const OrderTree& tree) {
  Order order;
  for (int position = 0; position < tree.loops(); ++position) order.push_back(tree.kind(position));
  return order;
}

const std::vector<std::vector<int>> multisets = {{1},       {3},          {1, 1},    {2, 1},
                                                 {1, 1, 1}, {1, 1, 1, 1}, {2, 2, 1}, {1, 1, 1, 1, 1, 1}};

}  // namespace

TEST_CASE("order tree in parts: walks that take parts by turns meet each order once") {
  for (const std::vector<int>& counts : multisets) {
    const auto lattice = lattice_of(counts);
    std::vector<Order> all;
    OrderTree tree(*lattice, kinds_of(counts));
    tree.walk([](int) { return true; }, [&] { all.push_back(order_of(tree)); });
    OrderTreeParts::Claims claims;
    std::map<std::int64_t, std::vector<Order>> found;
    // The second walk is made within the first, when that is in its fourth part.
    const auto walk = [&](const auto& at_part) {
      OrderTree own(*lattice, kinds_of(counts));
      std::int64_t part = -1;
      OrderTreeParts(claims).walk(
          own,
          [&](std::int64_t begun) {
            CHECK(begun > part);
            CHECK(found.count(begun) == 0);
            part = begun;
            found[part];
            at_part(part);
          },
          [](int) { return true; }, [&] { found[part].push_back(order_of(own)); });
    };
    walk([&](std::int64_t part) {
      if (part == 3) walk([](std::int64_t) {});
    });
    CHECK(claims.all_taken());
    std::vector<Order> together;
    for (const auto& [part, orders] : found) together.insert(together.end(), orders.begin(), orders.end());
    CHECK(together == all);
  }
}

TEST_CASE("order tree in parts: a branch above the parts is passed over like any other") {
  const std::vector<int> counts = {1, 1, 1, 1, 1};
  const auto lattice = lattice_of(counts);
  const auto wanted = [](const OrderTree& tree, int open) {
    for (int position = open; position < tree.loops(); ++position) {
      if (tree.kind(position) == 2) return false;
    }
    return true;
  };
  std::vector<Order> expected, found;
  OrderTree tree(*lattice, kinds_of(counts));
  tree.walk([&](int open) { return wanted(tree, open); }, [&] { expected.push_back(order_of(tree)); });
  OrderTreeParts::Claims claims;
  OrderTreeParts(claims).walk(
      tree, [](std::int64_t) {}, [&](int open) { return wanted(tree, open); },
      [&] { found.push_back(order_of(tree)); });
  CHECK(expected.size() > 1);
  CHECK(found == expected);
}
