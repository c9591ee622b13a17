#include "core/value/read.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "core/schema/types.hpp"
#include "core/value/tree.hpp"
#include "tests/unit/worlds/evaluations.hpp"

using namespace zz;
using namespace zz::core;

namespace {
Ref get(const Value& value, std::string_view path) { return part(value.ref(), intern(path)); }
double number(Ref ref) {
  double out = std::nan("");
  read_f64(ref, out);
  return out;
}
std::string text(Ref ref) {
  std::string_view out = "<no text>";
  read_text(ref, out);
  return std::string(out);
}
}  // namespace

TEST_CASE("scalars convert only where nothing is lost") {
  std::int64_t integer = 0;
  double real = 0;
  std::string_view word;
  CHECK(kind_of(Value().ref()) == Kind::null);
  CHECK(read_i64(Value::boolean(true).ref(), integer));
  CHECK(integer == 1);
  CHECK(read_i64(Value::number(-4.0).ref(), integer));
  CHECK(integer == -4);
  CHECK_FALSE(read_i64(Value::number(1.5).ref(), integer));
  CHECK_FALSE(read_i64(Value::number(1e30).ref(), integer));
  CHECK_FALSE(read_i64(Value::number(std::nan("")).ref(), integer));
  CHECK(read_f64(Value::integer(7).ref(), real));
  CHECK(real == 7.0);
  CHECK_FALSE(read_f64(Value::text("7").ref(), real));
  CHECK_FALSE(read_text(Value::integer(7).ref(), word));
  CHECK_FALSE(read_text(Value().ref(), word));
}

TEST_CASE("fields, paths, elements by number and by name") {
  const Value evaluation = Value::object(test::evaluation());
  CHECK(kind_of(evaluation.ref()) == Kind::object);
  CHECK(type_name_of(evaluation.ref()) == "evaluation");
  CHECK(number(get(evaluation, "energy_total")) == 3);
  CHECK(number(get(evaluation, "edp")) == 48);
  CHECK(number(get(evaluation, "mac_utilization2")) == 0.5);
  CHECK(number(get(evaluation, "carbon")) == 0.25);
  CHECK(number(get(evaluation, "metrics.carbon")) == 0.25);
  CHECK(number(get(evaluation, "accelerator.memories[l1].size")) == 1024);
  CHECK(number(get(evaluation, "accelerator.memories[1].r_cost")) == 1.5);
  CHECK(number(get(evaluation, "accelerator.unit_count")) == 32);
  CHECK(number(get(evaluation, "accelerator.memory_instances.l1")) == 8);
  CHECK(number(get(evaluation, "accelerator.operational_array.unit_count")) == 32);
  CHECK(text(get(evaluation, "accelerator.memories[dram].ports[rw_port_1].type")) == "read_write");
  CHECK(text(get(evaluation, "accelerator.memories[0].ports[0].allocation[0].direction")) == "fh");
  CHECK(number(get(evaluation, "operands[W].levels[0].accesses.rd_out_to_high")) == 3);
  CHECK(number(get(evaluation, "operands[0].levels[l1].accesses[1]")) == 2);
  CHECK(number(get(evaluation, "operands[0].levels[1].accesses.fh")) == 4);
  CHECK(number(get(evaluation, "layer.mac_count")) == 30);
  CHECK(number(get(evaluation, "layer.operand_elements.W")) == 15);
  CHECK(number(get(evaluation, "layer.operand_bits[W]")) == 120);
  CHECK(text(get(evaluation, "layer.memory_operands.I")) == "I1");
  CHECK(number(get(evaluation, "layer.loops[C].size")) == 5);
  CHECK(text(get(evaluation, "layer.operands[1].dimensions[C]")) == "C");
  CHECK(kind_of(get(evaluation, "spatial_mapping")) == Kind::null);
  CHECK(kind_of(get(evaluation, "accelerator.operational_array.imc")) == Kind::null);
  CHECK(number(get(evaluation, "is_sum")) != number(get(evaluation, "energy_total")));
}

TEST_CASE("what is missing says its name, also at the end of a chain") {
  const Value evaluation = Value::object(test::evaluation());
  const Ref absent = get(evaluation, "accelerator.memories[l9].size");
  CHECK(kind_of(absent) == Kind::none);
  CHECK(explain(absent, Kind::none) == "there is no 'accelerator.memories[l9].size': the list has no 'l9'");
  CHECK(explain(get(evaluation, "accelerator.memorys[l1].size"), Kind::none) ==
        "there is no 'accelerator.memorys[l1].size': an object of type 'accelerator' has no 'memorys' (did "
        "you mean "
        "'memories'?)");
  CHECK(explain(get(evaluation, "enery_total"), Kind::f64) ==
        "expected a number, but there is no 'enery_total' in an object of type 'evaluation' (did you mean "
        "'energy_total'?)");
  const Value map = Value::map({{"energy", Value::number(1)}});
  CHECK(explain(get(map, "energy_total"), Kind::none) == "there is no 'energy_total' in a map");
  CHECK(explain(get(map, "energy.deeper"), Kind::none) ==
        "there is no 'energy.deeper': what is no map has no 'deeper'");
  const Ref chained = part(part(get(evaluation, "nothing"), intern("x")), intern("y.z"));
  CHECK(explain(chained, Kind::f64) ==
        "expected a number, but there is no 'nothing' in an object of type 'evaluation'");
  CHECK(explain(get(evaluation, "layer.name"), Kind::i64) ==
        "expected an integer, found the text '/layer1/conv.0'");
  CHECK(explain(get(evaluation, "layer"), Kind::f64) ==
        "expected a number, found an object of type 'layer'");
  CHECK(kind_of(get(evaluation, "energy_total.x")) == Kind::none);
  CHECK(kind_of(get(evaluation, "operands[7]")) == Kind::none);
  CHECK(kind_of(part_at(evaluation.ref(), 1000)) == Kind::none);
}

TEST_CASE("parts outlive the whole") {
  Value l1, accelerator, name;
  {
    const Value evaluation = Value::object(test::evaluation());
    accelerator = held_part(evaluation, get(evaluation, "accelerator"));
    l1 = held_part(evaluation, get(evaluation, "accelerator.memories[l1]"));
    name = held_part(evaluation, get(evaluation, "layer.name"));
    CHECK(accelerator.as<Accelerator>() == evaluation.as<Evaluation>()->accelerator);
  }
  CHECK(accelerator.as<Accelerator>()->name == "small");
  CHECK(l1.as<Memory>()->size == 1024);
  CHECK(text(name.ref()) == "/layer1/conv.0");
  CHECK(l1.as<Layer>() == nullptr);
}

TEST_CASE("plain trees") {
  const Value tree = Value::map({{"numbers", numbers_value({1.0, 2.5})},
                                 {"list", Value::list({Value::text("a"), Value(), Value::boolean(false)})},
                                 {"org.example.budget", Value::integer(9)}});
  CHECK(count_of(tree.ref()) == 3);
  CHECK(number(get(tree, "numbers[1]")) == 2.5);
  CHECK(text(get(tree, "list[0]")) == "a");
  CHECK(number(get(tree, "org.example.budget")) == 9);
  std::string_view key;
  CHECK(kind_of(part_at(tree.ref(), 1, &key)) == Kind::list);
  CHECK(key == "list");
  CHECK(to_json(tree.ref()) ==
        R"({"numbers": [1.0, 2.5], "list": ["a", null, false], "org.example.budget": 9})");
}

TEST_CASE("JSON text") {
  CHECK(to_json(Value::number(0.1).ref()) == "0.1");
  CHECK(to_json(Value::number(48).ref()) == "48.0");
  CHECK(to_json(Value::number(1e300).ref()) == "1e+300");
  CHECK(to_json(Value::number(std::numeric_limits<double>::infinity()).ref()) == "null");
  CHECK(to_json(Value::text("a\"\\\n\x01z").ref()) == "\"a\\\"\\\\\\n\\u0001z\"");
  LevelCost level;
  level.memory = "l1";
  CHECK(
      to_json(Value::object(std::make_shared<const LevelCost>(level)).ref()) ==
      R"({"memory": "l1", "utilization": 0.0, "accesses": {"rd_out_to_low": 0, "wr_in_by_low": 0, )"
      R"("rd_out_to_high": 0, "wr_in_by_high": 0}, "energy_by_direction": {"rd_out_to_low": 0.0, "wr_in_by_low": 0.0, )"
      R"("rd_out_to_high": 0.0, "wr_in_by_high": 0.0}, "energy": 0.0})");
}

TEST_CASE("every type and field is documented, and labels are fields") {
  for (const Type* type : object_types()) {
    INFO(type->name);
    CHECK(find_object_type(type->name) == type);
    CHECK_FALSE(type->doc.empty());
    for (const Field& field : type->fields) {
      INFO(field.name);
      CHECK(std::string_view(field.doc).ends_with("."));
      CHECK(find_field(*type, intern(field.name)) == &field);
    }
    if (*type->label) CHECK(find_field(*type, intern(type->label)) != nullptr);
  }
}
