#include "core/value/key_list.hpp"

#include <doctest/doctest.h>

using zz::core::names_in_key;
using Names = std::vector<std::string>;

TEST_CASE("a key may stand for several names") {
  CHECK(names_in_key("a") == Names{"a"});
  CHECK(names_in_key("a, b ,c") == Names{"a", "b", "c"});
  CHECK(names_in_key("('a', 'b')") == Names{"a", "b"});
  CHECK(names_in_key("(a,)") == Names{"a"});
  CHECK(names_in_key("memories[a, b].size, c") == Names{"memories[a, b].size", "c"});
  CHECK(names_in_key("") == Names{""});
  CHECK(names_in_key("a,,b") == Names{"a", "", "b"});
  CHECK(zz::core::key_of_names({"a", "b"}) == "a, b");
}
