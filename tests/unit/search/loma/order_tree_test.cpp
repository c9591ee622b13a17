#include "core/search/loma/order_tree.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "core/search/loma/distinct_orders.hpp"

using namespace zz::core;

namespace {

using Orders = std::vector<std::vector<int>>;

Orders by_enumeration(const std::vector<int>& counts) {
  std::vector<std::uint8_t> items;
  for (std::size_t item = 0; item < counts.size(); ++item)
    items.insert(items.end(), static_cast<std::size_t>(counts[item]), static_cast<std::uint8_t>(item));
  DistinctOrders orders(items);
  Orders all;
  do {
    all.emplace_back(orders.current().begin(), orders.current().end());
  } while (orders.advance());
  return all;
}

std::shared_ptr<const LoopLattice> lattice_of(const std::vector<int>& counts) {
  std::vector<RemainingLoop> loops;
  for (std::size_t item = 0; item < counts.size(); ++item)
    loops.insert(loops.end(), static_cast<std::size_t>(counts[item]), {static_cast<int>(item), 2});
  return LoopLattice::make(loops, 1000);
}

std::vector<int> ranks(std::size_t count) {
  std::vector<int> kinds;
  for (std::size_t i = 0; i < count; ++i) kinds.push_back(static_cast<int>(i));
  return kinds;
}

const std::vector<std::vector<int>> multisets = {{1},          {3},       {1, 1},    {2, 1},
                                                 {1, 1, 1, 1}, {2, 2, 1}, {1, 3, 2}, {1, 1, 1, 1, 1}};

}  // namespace

TEST_CASE("order tree: the sequence is that of the enumeration, and points count the loops below") {
  for (const std::vector<int>& counts : multisets) {
    const auto lattice = lattice_of(counts);
    OrderTree tree(*lattice, ranks(counts.size()));
    Orders found;
    tree.walk([](int) { return true; },
              [&] {
                std::vector<int> order;
                for (int position = 0; position < tree.loops(); ++position) {
                  order.push_back(tree.kind(position));
                  CHECK(tree.point(position + 1) - tree.point(position) ==
                        lattice->kinds()[static_cast<std::size_t>(order.back())].stride);
                }
                CHECK(tree.point(0) == 0);
                found.push_back(order);
              });
    CHECK(found == by_enumeration(counts));
  }
}

TEST_CASE("order tree: a branch that is passed over takes just the orders that end as it does") {
  for (const std::vector<int>& counts : multisets) {
    const auto lattice = lattice_of(counts);
    OrderTree tree(*lattice, ranks(counts.size()));
    Orders found, passed_over;
    int turn = 0;
    tree.walk(
        [&](int open) {
          if (++turn % 3 != 0) return true;
          passed_over.emplace_back();
          for (int position = open; position < tree.loops(); ++position)
            passed_over.back().push_back(tree.kind(position));
          return false;
        },
        [&] {
          found.emplace_back();
          for (int position = 0; position < tree.loops(); ++position)
            found.back().push_back(tree.kind(position));
        });
    Orders expected = by_enumeration(counts);
    std::erase_if(expected, [&](const std::vector<int>& order) {
      return std::any_of(passed_over.begin(), passed_over.end(), [&](const std::vector<int>& end) {
        return std::equal(end.rbegin(), end.rend(), order.rbegin());
      });
    });
    CHECK(found == expected);
  }
}
