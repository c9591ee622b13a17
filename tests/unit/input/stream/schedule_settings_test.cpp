#include "core/input/stream/schedule_settings.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/schedules.hpp"

namespace zz::core {
namespace {

/// The second layer has a choice between cores 0 and 1: one gene.
const ScheduleProblem& problem() {
  static const ScheduleProblem made(test::small_multi_core(), test::small_graph(), test::small_costs(), {});
  return made;
}

std::string message_of(const Value& allocation) {
  try {
    user_allocation(allocation.ref(), problem());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Value list(std::vector<std::int64_t> cores) {
  std::vector<Value> items;
  for (const std::int64_t core : cores) items.push_back(Value::integer(core));
  return Value::list(std::move(items));
}

TEST_CASE("an allocation is a list in the order of the genes or a map") {
  REQUIRE(problem().genes().size() == 1);
  CHECK(user_allocation(list({1}).ref(), problem()) == std::vector<int>{1});
  for (const char* key : {"5", "5,0", "(5, 0)", "(5,)", " 5 , 0 "}) {
    const Value map = Value::map({{key, Value::integer(0)}});
    CHECK_MESSAGE(user_allocation(map.ref(), problem()) == std::vector<int>{0}, key);
  }
  // Groups decide over layers, and a layer without a choice may be named.
  const Value map =
      Value::map({{"5,0", Value::integer(1)}, {"5", Value::integer(0)}, {"0", Value::integer(0)}});
  CHECK(user_allocation(map.ref(), problem()) == std::vector<int>{1});
}

TEST_CASE("a wrong allocation is refused with gene, layer and candidates") {
  const auto contains = [](const Value& allocation, const char* what) {
    const std::string message = message_of(allocation);
    CHECK_MESSAGE(message.find(what) != std::string::npos, message);
  };
  contains(list({}), "has 0 cores, but 1 layers or groups have a choice of cores");
  contains(list({2}), "gene 0 (layer 5 'second'): core 2 is no candidate; candidates: 0, 1");
  contains(list({-1}), "there is no core -1, the accelerator has 3 (0 to 2)");
  contains(Value::integer(0), "expected a list of core ids or a map from layers to cores");
  contains(Value::map({{"0", Value::integer(0)}}),
           "says nothing about\n  gene 0 (layer 5 'second'): one of 0, 1");
  contains(Value::map({{"0", Value::integer(1)}, {"5", Value::integer(1)}}),
           "layer 0 'first': core 1 is no candidate; it can only run on core 0");
  contains(Value::map({{"5,1", Value::integer(1)}}), "layer 5 'second' has no group 1, only 0 to 0");
  contains(Value::map({{"6", Value::integer(1)}}), "there is no layer 6; there are 0, 5");
  for (const char* key : {"x", "", "5,0,1", "5 0", "5.0"})
    contains(Value::map({{key, Value::integer(1)}}), "is no layer id, and no layer id and group");
}

TEST_CASE("an order is a list of pairs") {
  const Value pairs = Value::list({list({5, 0}), list({0, 0})});
  const std::vector<std::pair<std::int64_t, int>> expected{{5, 0}, {0, 0}};
  CHECK(user_node_order(pairs.ref()) == expected);
  CHECK(user_node_order(Value().ref()).empty());
  CHECK_THROWS_AS(user_node_order(Value::list({list({5, 0}), list({0})}).ref()), InputError);
  CHECK_THROWS_AS(user_node_order(list({5, 0}).ref()), InputError);
  CHECK_THROWS_AS(user_node_order(Value::list({list({5, -1})}).ref()), InputError);
}

TEST_CASE("ranks of layers are pairs of offset and slope, one for each layer") {
  const auto graph = test::small_graph();
  const Value pair = Value::list({Value::number(-1.5), Value::integer(2)});
  ScheduleChoice choice;
  read_layer_ranks(Value().ref(), *graph, choice);
  CHECK(choice.layer_offset.empty());
  read_layer_ranks(Value::map({{"5", Value::integer(3)}, {"0", pair}}).ref(), *graph, choice);
  CHECK(choice.layer_offset == std::vector<double>{-1.5, 3});
  CHECK(choice.layer_slope == std::vector<double>{2, 0});
  const auto refused = [&](const Value& ranks, const char* what) {
    CHECK_THROWS_WITH_AS(read_layer_ranks(ranks.ref(), *graph, choice), doctest::Contains(what),
                         InputError);
  };
  refused(Value::integer(3), "expected a map from layers to [offset, slope], found the number 3");
  refused(Value::map({{"5", pair}}), "layer 0 is missing");
  refused(Value::map({{"0", pair}, {"5", pair}, {"6", pair}}), "there is no layer '6'");
  refused(Value::map({{"0", pair}, {"5,0", pair}}), "there is no layer '5,0'");
  refused(Value::map({{"0", pair}, {"5", list({1})}}),
          "layer 5: expected [offset, slope], found a list of 1");
}

TEST_CASE("operands to prefetch must be known") {
  check_prefetched_operands({"W", "I"}, *test::small_graph());
  CHECK_THROWS_WITH_AS(check_prefetched_operands({"V"}, *test::small_graph()),
                       doctest::Contains("no layer has an operand 'V'; known: O, W, I"), InputError);
}

}  // namespace
}  // namespace zz::core
