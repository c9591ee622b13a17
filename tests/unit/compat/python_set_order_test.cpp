#include "core/compat/python_set_order.hpp"

#include <doctest/doctest.h>

// Orders were printed by CPython 3.11.
namespace zz::core {
namespace {

using Pairs = std::vector<std::pair<NodeIdentity, NodeIdentity>>;

Pairs numbered(int count, int producers) {
  Pairs pairs;
  for (int i = 0; i < count; ++i) pairs.push_back({{3, i % producers}, {5, i / producers}});
  return pairs;
}

std::uint64_t digest(const std::vector<std::size_t>& order) {
  __extension__ unsigned __int128 sum = 0;
  for (const std::size_t index : order) sum = (sum * 1000003 + index) % (std::uint64_t{1} << 61);
  return static_cast<std::uint64_t>(sum);
}

}  // namespace

TEST_CASE("pairs of nodes are walked as in a CPython set") {
  Pairs pairs;
  for (int producer = 0; producer < 4; ++producer)
    for (int consumer = 0; consumer < 3; ++consumer) pairs.push_back({{46, producer}, {48, consumer}});
  CHECK(python_set_order(pairs) == std::vector<std::size_t>{2, 3, 6, 10, 1, 5, 8, 9, 7, 4, 0, 11});
  CHECK(digest(python_set_order(numbered(2000, 97))) == 809943860756742130U);
  CHECK(python_set_order(Pairs{}).empty());
}

TEST_CASE("large sets grow more slowly, as in CPython") {
  CHECK(digest(python_set_order(numbered(60000, 997))) == 1748906638638027364U);
}

TEST_CASE("names of dimensions are walked as in a CPython set") {
  CHECK(identifier_hash("B", NameClass::layer_dimension) == 2274680621932004355u);
  CHECK(identifier_hash("FX", NameClass::layer_dimension) == 529600628638832194u);
  CHECK(identifier_hash("D4", NameClass::array_dimension) == 1190809941726157689u);
  CHECK(python_set_order({"B", "K", "G", "OX", "OY", "C", "FX", "FY"}, NameClass::layer_dimension) ==
        std::vector<std::string>{"FY", "FX", "B", "G", "OX", "C", "K", "OY"});
  CHECK(python_set_order({"C", "D", "K", "B", "H"}, NameClass::layer_dimension) ==
        std::vector<std::string>{"B", "H", "D", "C", "K"});
  CHECK(python_set_order({"D1", "D2", "D3", "D4"}, NameClass::array_dimension) ==
        std::vector<std::string>{"D1", "D2", "D4", "D3"});
  CHECK(python_set_order({"OX", "OY", "OX"}, NameClass::layer_dimension) ==
        std::vector<std::string>{"OY", "OX"});
}

}  // namespace zz::core
