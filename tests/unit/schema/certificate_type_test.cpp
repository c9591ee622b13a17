#include <doctest/doctest.h>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "core/value/tree.hpp"

using namespace zz::core;

namespace {

Value made(std::string_view type, const std::vector<Edit>& parts) { return make_object(type, parts); }
Edit set(std::string_view path, Value value) { return {intern(path), std::move(value)}; }

}  // namespace

TEST_CASE("what a stage sets by the name of a certificate's figure is the certificate's") {
  const Value given = made(
      "evaluation", {set("energy_total", Value::number(3)), set("latency_total2", Value::number(4)),
                     set("optimum_gap", Value::number(0.25)), set("metrics.fused_groups", Value::number(2)),
                     set("metrics.carbon", Value::number(7))});
  const auto evaluation = given.as<Evaluation>();
  REQUIRE(evaluation);
  CHECK(evaluation->certificate.gap == 0.25);
  CHECK(evaluation->certificate.fused_groups == 2);
  CHECK(evaluation->metrics == std::vector<std::pair<std::string, double>>{{"carbon", 7}});
  CHECK(to_json(part(given.ref(), intern("optimum_gap"))) == "0.25");
  CHECK(to_json(part(given.ref(), intern("metrics"))) ==
        R"({"optimum_gap": 0.25, "fused_groups": 2.0, "carbon": 7.0})");

  const std::vector<Edit> removed = {{intern("optimum_gap"), std::nullopt}};
  CHECK_FALSE(with(given, removed).as<Evaluation>()->certificate.gap);
}

TEST_CASE("metrics are given as one map, as files of results have them") {
  Evaluation before;
  before.certificate.lower_bound = 5;
  before.metrics = {{"carbon", 7}};
  const Value proven = Value::object(std::make_shared<const Evaluation>(before));
  const std::vector<Edit> edits = {set("metrics", value_of_part(part(proven.ref(), intern("metrics"))))};
  const auto evaluation = with(Value::object(std::make_shared<const Evaluation>()), edits).as<Evaluation>();
  CHECK(evaluation->certificate.lower_bound == 5);
  CHECK(evaluation->metrics == before.metrics);
}

TEST_CASE("fields and types are found by the names that they had") {
  const Value member =
      made("fused_place", {set("group", Value::integer(3)), set("home", Value::text("l2"))});
  const auto group = member.as<GroupMember>();
  REQUIRE(group);
  CHECK(group->exchange_memory == "l2");
  CHECK(to_json(part(member.ref(), intern("home"))) == R"("l2")");
  CHECK(to_json(part(member.ref(), intern("exchange_memory"))) == R"("l2")");

  std::vector<Edit> parts;
  for (const char* name : {"tensor", "from", "to", "operand", "core"})
    parts.push_back(set(name, Value::integer(1)));
  parts.push_back(set("home", Value::integer(2)));
  CHECK(made("exchange", parts).as<Exchange>()->memory == 2);
}
