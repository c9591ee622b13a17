// Values: trees that are read, made and changed; and loops that are shared out.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/abi/sdk/tested_stages.hpp"

using namespace zz::literals;
using namespace zz::test;
using zz::Value;

TEST_CASE("values: reading, making, changing") {
  zz::testing::Host host;
  const Balanced balanced;
  const Value tree = zz::make({{"list", zz::list({1, 2.5, "x", nullptr, true})},
                               {"map", {{"a", 1}, {"b", {{"c", 2}}}}},
                               {"numbers", std::vector<double>{1, 2}}});
  CHECK(tree.json() ==
        R"({"list": [1, 2.5, "x", null, true], "map": {"a": 1, "b": {"c": 2}}, "numbers": [1, 2]})");
  CHECK(tree["map"]["b"]["c"].i64() == 2);
  CHECK(tree["map.b.c"].num() == 2.0);
  CHECK(tree["list"][0].i64() == 1);
  CHECK(tree["list"][4].boolean());
  CHECK(tree["map"].key(1) == "b");
  CHECK_FALSE(tree["nowhere"]["deeper"].exists());
  CHECK(tree["nowhere"].num(7.0) == 7.0);
  CHECK_THROWS_WITH_AS(static_cast<void>(tree["nowhere"]["deeper"].num()), "'nowhere' is missing",
                       zz::Error);
  int items = 0;
  for (zz::Ref item : tree["list"]) items += item.exists();
  CHECK(items == 5);

  const Value changed = zz::with(tree, {{"map.b.c", 3}, {"list", zz::removed}, {"new"_n, tree["map"]}});
  CHECK(changed["map.b.c"].i64() == 3);
  CHECK(tree["map.b.c"].i64() == 2);
  CHECK_FALSE(changed["list"].exists());
  CHECK_THROWS_WITH_AS(zz::with(tree, {{"no.such", 1}}), "no such part: no.such", zz::Error);

  Value part;
  {
    const Value whole = zz::make({{"inner", {{"x", 1}}}});
    part = whole.hold(whole["inner"]);
  }
  CHECK(part["x"].i64() == 1);
  CHECK(zz::make_list(std::vector<Value>{part, part}).size() == 2);
  CHECK(Value().is_null());
}

TEST_CASE("values: lists of texts and of values") {
  zz::testing::Host host;
  const Balanced balanced;
  const std::vector<std::string> names = {"l1", "dram"};
  const std::vector<const char*> letters = {"a"};
  const std::vector<Value> parts = {zz::make({{"x", 1}}), Value()};
  const Value tree = zz::make({{"names", zz::list(names)},
                               {"inner", {{"parts", zz::list(parts)}, {"letters", zz::list(letters)}}},
                               {"none", zz::list(std::vector<std::string>{})}});
  CHECK(tree.json() ==
        R"({"names": ["l1", "dram"], "inner": {"parts": [{"x": 1}, null], "letters": ["a"]}, "none": []})");
  CHECK(zz::make(zz::list(names)).json() == R"(["l1", "dram"])");
  CHECK(zz::with(tree, {{"names", zz::list(std::span<const Value>(parts))}})["names"].size() == 2);
}

TEST_CASE("of several failures in a loop, the lowest index counts") {
  zz::testing::Host host;
  std::vector<uint32_t> seen(10);
  zz::for_each(10, [&](uint32_t i) { seen[i] = i; });
  CHECK(seen[9] == 9);
  CHECK_THROWS_WITH_AS(zz::for_each(10,
                                    [](uint32_t i) {
                                      if (i >= 4)
                                        throw zz::Error(ZZ_E_INVALID, "index " + std::to_string(i));
                                    }),
                       "index 4", zz::Error);
}
