#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "tests/unit/worlds/evaluations.hpp"
#include "tests/unit/worlds/schedules.hpp"

namespace zz::core {
namespace {

Value sample_schedule() {
  return Value::object(std::make_shared<const Evaluation>(schedule_evaluation(test::small_schedule())));
}

double number_at(const Value& value, std::string_view path) {
  double found = -1;
  REQUIRE_MESSAGE(read_f64(part(value.ref(), intern(path)), found), path);
  return found;
}

std::string text(const Value& value, std::string_view path) {
  std::string_view found;
  REQUIRE_MESSAGE(read_text(part(value.ref(), intern(path)), found), path);
  return std::string(found);
}

std::string message_of(std::string_view path, Value value) {
  const Edit edits[] = {{intern(path), std::move(value)}};
  try {
    with(sample_schedule(), edits);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("every part of a schedule can be read") {
  const Value evaluation = sample_schedule();
  CHECK(number_at(evaluation, "schedule.nodes[1].layer") == 5);
  CHECK(number_at(evaluation, "schedule.nodes[1].sub_id") == 0);
  CHECK(number_at(evaluation, "schedule.nodes[1].core") == 1);
  CHECK(number_at(evaluation, "schedule.nodes[1].end") == 50);
  CHECK(number_at(evaluation, "schedule.transfers[0].bits") == 640);
  CHECK(number_at(evaluation, "schedule.transfers[0].own[0]") == 1);
  CHECK(text(evaluation, "schedule.transfers[3].purpose") ==
        "total_sink_layer_output_offchip_memory_energy");
  CHECK(number_at(evaluation, "schedule.blocks[0].read_demand") == 16);
  CHECK(text(evaluation, "schedule.removals[0].cause") == "schedule_graph");
  CHECK(number_at(evaluation, "schedule.memory[0].bits[1][1]") == 896);
  CHECK(number_at(evaluation, "schedule.energy_terms.total_core_to_core_memory_energy") == 4);
  CHECK(number_at(evaluation, "schedule.genes[0][0]") == 5);
  CHECK(number_at(evaluation, "schedule.latency_bound") == 36);
  CHECK(text(evaluation, "schedule.accelerator.name") == "two cores");
  CHECK(kind_of(part(Value::object(test::evaluation()).ref(), intern("schedule"))) == Kind::null);
}

TEST_CASE("a stage may change a schedule; the original stays") {
  const Value evaluation = sample_schedule();
  const Edit edits[] = {
      {intern("schedule.nodes[1].end"), Value::number(52)},
      {intern("schedule.energy_terms.total_cn_onchip_energy"), Value::number(0.5)},
      {intern("schedule.memory[0].bits[1]"), Value::list({Value::integer(11), Value::integer(800)})},
      {intern("energy_total"), Value::number(9.5)}};
  const auto changed = with(evaluation, edits).as<Evaluation>();
  const auto before = evaluation.as<Evaluation>();
  CHECK(changed->schedule->nodes[1].end == 52);
  CHECK(changed->schedule->energy_terms[0] == 0.5);
  CHECK(changed->schedule->memory[0].bits[1] == std::pair<double, std::int64_t>(11, 800));
  CHECK(changed->energy_total == 9.5);
  CHECK(changed->schedule->graph == before->schedule->graph);
  CHECK(before->schedule->nodes[1].end == 50);
}

TEST_CASE("a schedule can be taken away") {
  const Edit edits[] = {{intern("schedule"), std::nullopt}};
  CHECK(with(sample_schedule(), edits).as<Evaluation>()->is_sum());
}

TEST_CASE("positions that lead nowhere are refused") {
  const auto contains = [](const std::string& message, const char* what) {
    return message.find(what) != std::string::npos;
  };
  const std::string node = message_of("schedule.nodes[1].node", Value::integer(2));
  CHECK_MESSAGE(contains(node, "nodes[1].node: there is no number 2 among 2"), node);
  for (const char* path :
       {"schedule.nodes[0].core", "schedule.transfers[1].tensor", "schedule.transfers[1].links[0]",
        "schedule.blocks[0].operands[0]", "schedule.removals[0].memory", "schedule.memory[1].memory"}) {
    const std::string message = message_of(path, Value::integer(99));
    CHECK_MESSAGE(contains(message, "there is no number 99"), path << ": " << message);
  }
  CHECK(contains(message_of("schedule.graph", Value()), "nodes[0].node"));
  CHECK(contains(message_of("schedule.transfers[0].own[0]", Value::integer(256)), "an integer"));
}

}  // namespace
}  // namespace zz::core
