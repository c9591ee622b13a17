#include "core/compat/set_order.hpp"

#include <doctest/doctest.h>

using namespace zz::core;
using Names = std::vector<std::string>;

TEST_CASE("set order: hashes and walks of recorded sets") {
  CHECK(identifier_hash("B", NameClass::layer_dimension) == 2274680621932004355u);
  CHECK(identifier_hash("FX", NameClass::layer_dimension) == 529600628638832194u);
  CHECK(identifier_hash("D4", NameClass::array_dimension) == 1190809941726157689u);
  CHECK(set_order({"B", "K", "G", "OX", "OY", "C", "FX", "FY"}, NameClass::layer_dimension) ==
        Names{"FY", "FX", "B", "G", "OX", "C", "K", "OY"});
  CHECK(set_order({"C", "D", "K", "B", "H"}, NameClass::layer_dimension) == Names{"B", "H", "D", "C", "K"});
  CHECK(set_order({"D1", "D2", "D3", "D4"}, NameClass::array_dimension) == Names{"D1", "D2", "D4", "D3"});
  CHECK(set_order({"OX", "OY", "OX"}, NameClass::layer_dimension) == Names{"OY", "OX"});
}
