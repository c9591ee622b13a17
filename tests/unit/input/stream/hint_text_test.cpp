#include "core/input/stream/hint_text.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/value/read.hpp"

namespace {

using namespace zz::core;

Value text(const char* value) { return Value::text(value); }
Value list(std::vector<Value> items) { return Value::list(std::move(items)); }
Value loop(const char* name, std::int64_t count) { return list({text(name), Value::integer(count)}); }
Value all(const char* name) { return list({text(name), text("all")}); }

std::string problem(const Value& value, const LayerStacks& stacks = {}) {
  try {
    read_hint_loops(value.ref(), stacks);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& whole, const std::string& part) {
  return whole.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("hint loops for all layers") {
  using Loops = std::vector<CutLoop>;
  const Loops expected = {{"OY", std::nullopt}, {"K", 4}};
  CHECK(read_hint_loops(list({all("OY"), loop("K", 4)}).ref()).loops == expected);
  CHECK(read_hint_loops(list({text("oy, all"), text("(K, 4)")}).ref()).loops == expected);
  CHECK(read_hint_loops(list({all("OY"), list({text("k"), text("4")})}).ref()).loops == expected);
  CHECK(read_hint_loops(list({}).ref()).loops.empty());
  CHECK(read_hint_loops(Value().ref()).loops.empty());
  CHECK_FALSE(read_hint_loops(Value().ref()).by_layer);
}

TEST_CASE("hint loops whose pieces may run on several cores") {
  const std::vector<CutLoop> expected = {{"OY", 28, true}, {"K", std::nullopt, true}, {"C", 2}};
  const Value given =
      list({list({text("OY"), Value::integer(28), text("spread")}), text("K, all, spread"), loop("C", 2)});
  CHECK(read_hint_loops(given.ref()).loops == expected);
  const std::vector<CutEntry> hints = {{{0, 3}, expected}};
  CHECK(read_hint_loops(hint_loops_value(hints).ref()).cut_entries == hints);
  CHECK(contains(problem(list({list({text("OY"), text("all"), text("apart")})})),
                 "has the word 'apart' behind its count; known: spread, lockstep"));
  CHECK(contains(problem(list({text("OY, 2, lockstp")})), "did you mean 'lockstep'?"));
  CHECK(contains(problem(list({list({text("OY"), loop("K", 4), text("spread")})})),
                 "has as the count of OY"));
}

TEST_CASE("hint loops by layers") {
  const Value map =
      Value::map({{"0,1,2", list({all("OY")})}, {"(3,)", list({})}, {"4", list({loop("K", 2)})}});
  const HintLoopsSetting hints = read_hint_loops(map.ref());
  CHECK(hints.by_layer);
  REQUIRE(hints.cut_entries.size() == 3);
  CHECK(hints.cut_entries[0] == CutEntry{{0, 1, 2}, {{"OY", std::nullopt}}});
  CHECK(hints.cut_entries[1] == CutEntry{{3}, {}});
  CHECK(hints.cut_entries[2] == CutEntry{{4}, {{"K", 2}}});
  CHECK(read_hint_loops(hint_loops_value(hints.cut_entries).ref()).cut_entries == hints.cut_entries);
}

TEST_CASE("hint loops by stack") {
  const Value lists = list({list({all("OY")}), list({}), list({text("K, 2")})});
  CHECK(is_hint_list_by_stack(lists.ref()));
  CHECK_FALSE(is_hint_list_by_stack(list({all("OY")}).ref()));
  CHECK_FALSE(is_hint_list_by_stack(list({}).ref()));
  const LayerStacks stacks = {{0, 1}, {2}, {3, 4}};
  const HintLoopsSetting hints = read_hint_loops(lists.ref(), stacks);
  REQUIRE(hints.cut_entries.size() == 3);
  CHECK(hints.cut_entries[0] == CutEntry{{0, 1}, {{"OY", std::nullopt}}});
  CHECK(hints.cut_entries[2] == CutEntry{{3, 4}, {{"K", 2}}});
  CHECK(contains(problem(lists, {{0}}), "3 lists of loops for 1 groups of layers"));
}

TEST_CASE("what is wrong with hint loops is named") {
  CHECK(contains(problem(text("OY")), "hint_loops is the text 'OY'"));
  CHECK(contains(problem(list({all("OY"), text("K")})), "item 2 of hint_loops is the text 'K'"));
  CHECK(contains(problem(list({all("OY"), list({text("K")})})), "item 2 of hint_loops is a list of 1"));
  CHECK(contains(problem(list({list({text("K"), text("some")})})), "as the count of K the text 'some'"));
  CHECK(contains(problem(list({loop("K", 0)})), "cuts K into 0"));
  CHECK(contains(problem(list({list({Value::integer(1), Value::integer(2)})})), "names as its loop"));
  CHECK(contains(problem(Value::map({{"0,x", list({})}})), "'x' is no layer id"));
  CHECK(contains(problem(Value::map({{"0", list({text("K")})}})), "the entry '0' of hint_loops"));
}

TEST_CASE("layer stacks as values") {
  const LayerStacks stacks = {{0, 2}, {3}};
  CHECK(read_layer_stacks(layer_stacks_value(stacks).ref()) == stacks);
  CHECK(read_layer_stacks(Value().ref()).empty());
  CHECK(read_layer_ids(Value::integer(4).ref(), "cutoff") == std::vector<std::int64_t>{4});
  CHECK_THROWS_AS(read_layer_stacks(list({list({text("a")})}).ref()), InputError);
  CHECK_THROWS_AS(read_layer_stacks(text("a").ref()), InputError);
}
