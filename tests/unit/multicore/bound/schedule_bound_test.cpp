#include "core/multicore/bound/schedule_bound.hpp"

#include <doctest/doctest.h>

#include "tests/unit/worlds/schedules.hpp"

using namespace zz;
using test::ProblemSketch;

namespace {

/// A layer of four nodes that read the same weights of 6400 bits, one cycle each.
void weighty_layer(ProblemSketch& sketch) {
  sketch.layer({ProblemSketch::w});
  const int weights = sketch.tensor(ProblemSketch::w, 6400, 4);
  for (int i = 0; i < 4; ++i) sketch.node({sketch.tensor(ProblemSketch::o, 64, 0), weights, -1});
}

void stream(core::CoreCost& cost, int operand, double read_bits) {
  cost.streamed = {operand};
  cost.stream_read_bits = read_bits;
}

double bound(ProblemSketch& sketch, bool as_stream = false) {
  return core::schedule_bound(*sketch.problem(as_stream));
}

}  // namespace

TEST_CASE("latency bound: constants that every core streams pass the link for each node") {
  ProblemSketch sketch(1, 1000);
  weighty_layer(sketch);
  stream(sketch.cost(0, 1), ProblemSketch::w, 6400);
  CHECK(bound(sketch) == 4 * 6400 / 64 + 4);  // results: 64 bits each
  CHECK(bound(sketch) <= sketch.schedule(false).latency);
  CHECK(bound(sketch, true) == 4);
}

TEST_CASE("latency bound: a group counts what its best candidate moves") {
  ProblemSketch sketch(2, 10000);
  weighty_layer(sketch);
  sketch.cost(0, 1);
  stream(sketch.cost(1, 1), ProblemSketch::w, 800);
  CHECK(bound(sketch) == 4 * 800 / 64 + 4);
  sketch.costs->layers[0].on[1].stream_read_bits = 1700;
  CHECK(bound(sketch) == 6400 / 64 + 1 + 4);  // a node runs before the first result leaves
}

TEST_CASE("latency bound: what is streamed as input has been written") {
  ProblemSketch sketch(1, 10000);
  weighty_layer(sketch);
  sketch.cost(0, 1);
  sketch.layer({});
  sketch.node({sketch.tensor(ProblemSketch::o, 64, 0), -1, -1});
  for (int i = 0; i < 4; ++i) sketch.edge(i, 4, ProblemSketch::i, 64);
  stream(sketch.cost(0, 1), ProblemSketch::i, 4 * 64);
  CHECK(bound(sketch) == 100 + 1 + 4 + 4 + 1);
  CHECK(bound(sketch) <= sketch.schedule(false).latency);
}

TEST_CASE("latency bound: what a node reads by two operands runs once") {
  ProblemSketch sketch(1, 10000);
  sketch.layer({});
  sketch.node({sketch.tensor(ProblemSketch::o, 0, 2), -1, -1});
  sketch.cost(0, 10);
  sketch.layer({});
  sketch.node({sketch.tensor(ProblemSketch::o, 0, 0), -1, -1});
  sketch.cost(0, 1);
  for (const int operand : {ProblemSketch::w, ProblemSketch::i}) sketch.edge(0, 1, operand, 0);
  CHECK(bound(sketch) == 11);
  CHECK(sketch.schedule(false).latency == 11);
}
