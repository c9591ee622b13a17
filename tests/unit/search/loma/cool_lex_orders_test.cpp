#include "core/search/loma/detail/cool_lex_orders.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <vector>

using zz::core::CoolLexOrders;

TEST_CASE("distinct orders: every permutation of a multiset exactly once") {
  const std::vector<std::vector<std::uint8_t>> multisets{
      {0}, {0, 1}, {0, 0, 1}, {0, 1, 2, 2}, {0, 0, 1, 1, 2, 3}};
  for (const std::vector<std::uint8_t>& items : multisets) {
    CoolLexOrders orders(items);
    CHECK(std::is_sorted(orders.current().rbegin(), orders.current().rend()));
    std::set<std::vector<std::uint8_t>> seen{orders.current()};
    std::int64_t visited = 1;
    while (orders.advance()) {
      seen.insert(orders.current());
      ++visited;
    }
    std::set<std::vector<std::uint8_t>> all;
    std::vector<std::uint8_t> sorted = items;
    std::sort(sorted.begin(), sorted.end());
    do {
      all.insert(sorted);
    } while (std::next_permutation(sorted.begin(), sorted.end()));
    CHECK(seen == all);
    CHECK(visited == static_cast<std::int64_t>(all.size()));
    CHECK(CoolLexOrders::count(items) == visited);
  }
}
