#include <doctest/doctest.h>

#include "core/multicore/schedule/schedule.hpp"
#include "core/output/json/schedule_json.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "tests/unit/output/archive/archive_fixture.hpp"
#include "tests/unit/worlds/schedules.hpp"

namespace zz::core {
namespace {

TEST_CASE("an archive keeps schedules with their accelerator, graph and costs") {
  const test::TemporaryArchive file("schedule.zz"), again("schedule-again.zz");
  const auto evaluation = std::make_shared<const Evaluation>(schedule_evaluation(test::small_schedule()));
  test::write_archive(file.path(), {{Value::object(evaluation), Value()}});
  const test::Results back = test::read_archive(file.path());
  REQUIRE(back.size() == 1);
  const auto read = back.front().first.as<Evaluation>();
  REQUIRE(read);
  REQUIRE(read->schedule);
  CHECK(to_json(back.front().first.ref()) == to_json(Value::object(evaluation).ref()));
  CHECK(schedule_json(*read) == schedule_json(*evaluation));

  // Parts that follow from others are there again.
  CHECK(read->schedule->accelerator->routes == evaluation->schedule->accelerator->routes);
  CHECK(read->schedule->accelerator->top_of == evaluation->schedule->accelerator->top_of);
  CHECK(read->schedule->graph->successors == evaluation->schedule->graph->successors);
  CHECK(read->schedule->graph->topological_order == evaluation->schedule->graph->topological_order);
  const CoreCost* cost = read->schedule->costs->find(1, 0, 1);
  REQUIRE(cost != nullptr);
  CHECK(cost->runtime == 20);

  test::write_archive(again.path(), back);
  CHECK(again.bytes() == file.bytes());
}

TEST_CASE("an archive keeps what nodes exchange inside of their cores") {
  const test::TemporaryArchive file("exchanges.zz");
  Schedule schedule = test::small_schedule();
  auto costs = std::make_shared<CoreCosts>(*schedule.costs);
  CoreCost cost = *costs->find(0, 0, 0);
  cost.onchip_energy = 1;
  costs->exchanging = {{0, 0, 0, {0}, cost}};
  schedule.costs = costs;
  schedule.exchanges = {{.tensor = 0, .from = 0, .to = 1, .operand = 2, .core = 0, .memory = 0}};
  const auto evaluation = std::make_shared<const Evaluation>(schedule_evaluation(std::move(schedule)));
  test::write_archive(file.path(), {{Value::object(evaluation), Value()}});
  const auto read = test::read_archive(file.path()).front().first.as<Evaluation>();
  REQUIRE(read);
  REQUIRE(read->schedule->exchanges.size() == 1);
  CHECK(read->schedule->exchanges[0].to == 1);
  CHECK(read->schedule->exchanges[0].bits == evaluation->schedule->graph->tensors[0].bits);
  const ComputationNode& node = read->schedule->graph->nodes[0];
  REQUIRE(read->schedule->costs->find_exchanging(node, 0, 0, {0}) != nullptr);
  CHECK(read->schedule->costs->find_exchanging(node, 0, 0, {0})->onchip_energy == 1);
  CHECK(schedule_json(*read) == schedule_json(*evaluation));
}

TEST_CASE("schedules of one result share their graph in an archive") {
  const test::TemporaryArchive file("two_schedules.zz");
  const auto one = std::make_shared<const Evaluation>(schedule_evaluation(test::small_schedule()));
  Evaluation other = *one;
  Schedule moved = *one->schedule;
  moved.nodes[1].core = 0;
  other.schedule = std::make_shared<const Schedule>(std::move(moved));
  const Value both = Value::list(
      {Value::object(one), Value::object(std::make_shared<const Evaluation>(std::move(other)))});
  test::write_archive(file.path(), {{both, Value()}});
  const Value back = test::read_archive(file.path()).at(0).first;
  const auto first = held_part(back, part_at(back.ref(), 0)).as<Evaluation>();
  const auto second = held_part(back, part_at(back.ref(), 1)).as<Evaluation>();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->schedule->graph == second->schedule->graph);
  CHECK(first->schedule->accelerator == second->schedule->accelerator);
  CHECK(first->schedule->nodes[1].core == 1);
  CHECK(second->schedule->nodes[1].core == 0);
}

}  // namespace
}  // namespace zz::core
