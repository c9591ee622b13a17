#include "core/value/edit.hpp"

#include <cmath>
#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/value/tree.hpp"
#include "tests/unit/worlds/evaluations.hpp"

using namespace zz;
using namespace zz::core;

namespace {
Edit set(std::string_view path, Value value) { return {intern(path), std::move(value)}; }
Edit removed(std::string_view path) { return {intern(path), std::nullopt}; }
Value changed(const Value& base, std::vector<Edit> edits) { return with(base, edits); }

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "<no error>";
}
std::string message_of(const Value& base, std::vector<Edit> edits) {
  return message_of([&] { with(base, edits); });
}
std::string make_message(std::string_view type, std::vector<Edit> parts) {
  return message_of([&] { make_object(type, parts); });
}
}  // namespace

TEST_CASE("a changed copy leaves the original alone and shares what stays") {
  const Value evaluation = Value::object(test::evaluation());
  const Value other =
      changed(evaluation, {set("accelerator.memories[l1].size", Value::integer(2048)),
                           set("accelerator.memories[dram].r_cost", Value::integer(4)),
                           set("latency_total2", Value::number(32)), set("water", Value::number(7))});
  const auto before = evaluation.as<Evaluation>();
  const auto after = other.as<Evaluation>();
  CHECK(before->accelerator->memories[0].size == 1024);
  CHECK(after->accelerator->memories[0].size == 2048);
  CHECK(after->accelerator->memories[1].read_cost == 4.0);
  CHECK(after->layer == before->layer);
  CHECK(after->edp() == 96);
  CHECK(after->metrics == std::vector<std::pair<std::string, double>>{{"carbon", 0.25}, {"water", 7}});
  CHECK(before->metrics.size() == 1);
}

TEST_CASE("parts of every sort can be set and removed") {
  const Value evaluation = Value::object(test::evaluation());
  const Value other =
      changed(evaluation,
              {removed("carbon"), removed("accelerator"), removed("operands[O].levels[1]"),
               set("operands[W].levels[0].accesses.tl", Value::integer(9)),
               set("operands[O].levels[0].energy_by_direction", numbers_value({1, 2, 3, 4})),
               set("layer.loops",
                   Value::list({Value::map({{"name", Value::text("B")}, {"size", Value::integer(6)}})})),
               set("layer.operands[O].dimensions", Value::list({Value::text("B")})),
               set("layer.operands[W].dimensions", Value::list({})),
               set("layer.operands[I].dimensions", Value::list({Value::text("B")})),
               set("layer.mapping.temporal_ordering",
                   Value::list({Value::map({{"dimension", Value::text("B")}, {"size", Value()}})}))});
  const auto after = other.as<Evaluation>();
  CHECK(after->metrics.empty());
  CHECK(after->accelerator == nullptr);
  CHECK(after->operands[0].levels.size() == 1);
  CHECK(after->operands[0].levels[0].energy_by_direction[3] == 4);
  CHECK(after->operands[1].levels[0].accesses[0] == 9);
  CHECK(after->layer->loops == std::vector<LoopDimension>{{"B", 6}});
  CHECK_FALSE(after->layer->mapping.temporal_ordering[0].size.has_value());
}

TEST_CASE("what is wrong with an edit is said with its place") {
  const Value accelerator = Value::object(test::accelerator());
  const Value evaluation = Value::object(test::evaluation());
  CHECK(message_of(accelerator, {set("memories[l1].siz", Value::integer(1))}) ==
        "accelerator.memories[l1].siz: no such part 'siz' (did you mean 'size'?)");
  CHECK(message_of(accelerator, {set("memories[l2].size", Value::integer(1))}) ==
        "accelerator.memories[l2]: no such part 'l2' (known: l1, dram)");
  CHECK(message_of(accelerator, {set("memories[2].size", Value::integer(1))}) ==
        "accelerator.memories[2]: there are only 2 elements, counted from 0");
  CHECK(message_of(accelerator, {set("memories[l1].size", Value::text("big"))}) ==
        "accelerator.memories[l1].size: expected an integer, found the text 'big'");
  CHECK(message_of(accelerator, {set("memories[l1].size", Value::number(1.5))}) ==
        "accelerator.memories[l1].size: expected an integer, found the number 1.5");
  CHECK(message_of(accelerator, {set("memories[l1].ports[0].type", Value::text("both"))}) ==
        "accelerator.memories[l1].ports[0].type: expected one of 'read', 'write', 'read_write', found the "
        "text 'both'");
  CHECK(message_of(accelerator, {set("memories[l1].size.x", Value::integer(1))}) ==
        "accelerator.memories[l1].size: the number 1024 has no part 'x'");
  CHECK(message_of(accelerator, {removed("memories[l1].size")}) ==
        "accelerator.memories[l1].size: cannot be removed");
  CHECK(message_of(accelerator, {set("unit_count", Value::integer(1))}) ==
        "accelerator.unit_count: is computed, cannot be set");
  CHECK(message_of(evaluation, {set("edp", Value::number(1))}) ==
        "evaluation.edp: is computed, cannot be set");
  CHECK(message_of(evaluation, {set("carbon", Value::text("x"))}) ==
        "evaluation.carbon: expected a number, found the text 'x'");
  CHECK(message_of(Value::integer(3), {set("x", Value())}) == "the number 3 has no part 'x'");
}

TEST_CASE("objects check themselves when all edits are in") {
  const Value layer = Value::object(test::layer());
  CHECK(message_of(layer, {set("loops[K].size", Value::integer(0))}) ==
        "layer.loops[K]: has the size 0; it must be 1 or more");
  CHECK(message_of(layer, {set("loops[K].size", Value::integer(0)),
                           set("loops[K].size", Value::integer(4))}) == "<no error>");
  const Value evaluation = Value::object(test::evaluation());
  CHECK_THROWS_AS(changed(evaluation, {set("accelerator.memories[l1].size", Value::integer(-1))}),
                  InputError);
}

TEST_CASE("what is wrong with an object that is made is said in one line") {
  const Value accelerator = Value::object(test::accelerator());
  const std::string two = message_of(accelerator, {set("memories[l1].size", Value::integer(-1)),
                                                   set("memories[dram].size", Value::integer(-1))});
  CHECK(two.find("memory 'l1'") != std::string::npos);
  CHECK(two.find("; accelerator") != std::string::npos);
  CHECK(two.find("memory 'dram'") != std::string::npos);
  for (const std::string& message :
       {two, message_of(accelerator, {set("memories[l1].size", Value::text("two\nlines"))}),
        message_of(accelerator, {set("no\npart", Value::integer(1))})})
    CHECK(message.find('\n') == std::string::npos);
}

TEST_CASE("plain trees are changed along the path") {
  const Value tree = Value::map({{"a", Value::map({{"b", Value::integer(1)}})},
                                 {"c", Value::list({Value(), Value()})},
                                 {"x.y", Value::integer(2)}});
  const Value other =
      changed(tree, {set("a.b", Value::integer(5)), set("a.new", Value::text("t")), removed("c[0]"),
                     set("x.y", Value::integer(3)), set("d", Value::boolean(true))});
  CHECK(to_json(tree.ref()) == R"({"a": {"b": 1}, "c": [null, null], "x.y": 2})");
  CHECK(to_json(other.ref()) == R"({"a": {"b": 5, "new": "t"}, "c": [null], "x.y": 3, "d": true})");
  const Value with_object = Value::map({{"accelerator", Value::object(test::accelerator())}});
  CHECK(message_of(with_object, {set("accelerator.memories[l1].siz", Value::integer(1))}) ==
        "accelerator.memories[l1].siz: no such part 'siz' (did you mean 'size'?)");
}

TEST_CASE("objects are made from their parts") {
  const auto accelerator = test::accelerator();
  const Value made =
      make_object("evaluation",
                  std::vector<Edit>{set("accelerator", Value::object(accelerator)),
                                    set("energy_total", Value::integer(5)),
                                    set("latency_total2", Value::number(2)), set("own", Value::number(1))});
  CHECK(made.as<Evaluation>()->accelerator == accelerator);
  CHECK(made.as<Evaluation>()->edp() == 10);
  CHECK(made.as<Evaluation>()->metrics[0].first == "own");

  const auto loop = [](const char* dimension, std::int64_t size) {
    return Value::map({{"dimension", Value::text(dimension)}, {"size", Value::integer(size)}});
  };
  const Value operands = Value::list({Value::map({{"operand", Value::text("O")},
                                                  {"allocated", integers_value({1, 2})},
                                                  {"stationary", integers_value({2, 2})}})});
  const Value mapping = make_object(
      "temporal_mapping", std::vector<Edit>{set("loops", Value::list({loop("K", 3), loop("C", 5)})),
                                            set("operands", operands), set("type", Value::text("even"))});
  const auto temporal = mapping.as<TemporalMapping>();
  CHECK(temporal->loops == std::vector<TemporalLoop>{{"K", 3}, {"C", 5}});
  CHECK(temporal->operands[0].stationary == std::vector<int>{2, 2});
  CHECK(temporal->type == MappingType::even);

  CHECK(make_message("temporal_mapping",
                     {set("loops", Value::list({loop("K", 0)})), set("operands", Value::list({}))}) ==
        "temporal_mapping.loops[0].size: must be positive, is 0");
  CHECK(make_message("temporal_mapping", {set("loops", Value::list({})), set("operands", operands)})
            .find("cuts must not decrease") != std::string::npos);
  CHECK(make_message("temporal_mapping",
                     {set("loops", Value::list({Value::map({{"dimensions", Value::text("K")}})}))}) ==
        "temporal_mapping.loops[0].dimensions: no such part 'dimensions' (did you mean 'dimension'?)");
  CHECK(make_message("acelerator", {}) == "there is no type 'acelerator'; did you mean 'accelerator'?");
}

TEST_CASE("objects are made with all that they need, and say what is missing") {
  CHECK(make_message("temporal_mapping", {}) ==
        "temporal_mapping.loops: is required (list of `temporal_loop`), but was not given");
  CHECK(make_message("temporal_mapping",
                     {set("operands", Value::list({})),
                      set("loops", Value::list({Value::map({{"dimension", Value::text("K")}})}))}) ==
        "temporal_mapping.loops[0].size: is required (integer), but was not given");
  CHECK(make_message("evaluation", {set("energy_total", Value::number(5))}) ==
        "evaluation.latency_total2: is required (number), but was not given");
  CHECK(make_message("evaluation", {set("energy_total", Value::number(-1))}) ==
        "evaluation.energy_total: must not be negative, is -1.0");
  CHECK(make_message("evaluation", {set("latency_total2", Value::number(INFINITY))}) ==
        "evaluation.latency_total2: expected a number, found infinity");
}

TEST_CASE("layers and workloads are held to the rules of files") {
  const Value layer = Value::object(test::layer());
  const auto relation = [&](std::vector<std::pair<std::string, Value>> size) {
    std::vector<std::pair<std::string, Value>> parts = {
        {"data", Value::text("IX")}, {"output_loop", Value::text("B")}, {"filter_loop", Value::text("K")}};
    parts.insert(parts.end(), size.begin(), size.end());
    return message_of(layer, {set("relations", Value::list({Value::map(std::move(parts))}))});
  };
  CHECK(relation({{"size", Value::integer(9)}}) == "<no error>");
  CHECK(relation({}) == "layer.relations[0].size: is required (integer), but was not given");
  CHECK(relation({{"size", Value::integer(0)}}) == "layer.relations[IX].size: must be positive, is 0");
  CHECK(message_of(layer, {set("operands[W].dimensions[0]", Value::text("KK"))})
            .find("layer.operands[W]: has the dimension KK, which is neither one of the loops") == 0);
  CHECK(message_of(layer, {set("loops[B].name", Value::text("K"))}) == "layer.loops[K]: stands twice");
  const auto workload = [&](std::vector<std::int64_t> order, const Value& edges) {
    return make_message("workload",
                        {set("layers", Value::list({layer})),
                         set("node_order", integers_value(std::move(order))), set("edges", edges)});
  };
  CHECK(workload({3}, Value::list({})) == "<no error>");
  CHECK(workload({}, Value::list({})) == "workload.node_order: node 3 is missing");
  CHECK(workload({3, 4}, Value::list({})) == "workload.node_order: there is no node 4");
  CHECK(workload({3}, Value::list({integers_value({3, 5})})) ==
        "workload.edges: 3 -> 5, but there is no node 5");
  CHECK(workload({3}, Value::list({integers_value({3, 3})})).find("circle") != std::string::npos);
}

TEST_CASE("what reads as JSON can be made again") {
  const Value accelerator = Value::object(test::accelerator());
  std::vector<Edit> parts;
  for (const Field& field : type_of<Accelerator>()->fields)
    if (field.edit)
      parts.push_back(
          {intern(field.name), held_part(accelerator, part(accelerator.ref(), intern(field.name)))});
  CHECK(*make_object("accelerator", parts).as<Accelerator>() == *accelerator.as<Accelerator>());
}
