#include <doctest/doctest.h>

#include "core/workload/layer.hpp"
#include "core/workload/layer_check.hpp"

using namespace zz::core;

namespace {

/// O[b][t][d][k] += I[b][t][d][c] * W[b][c][k]: the state of all steps.
Layer recurrence(std::int64_t steps) {
  Layer layer;
  layer.loops = {{"C", 4}, {"D", 2}, {"K", 8}, {"B", 2}, {"T", steps, true}};
  layer.operands = {{"O", {"B", "T", "D", "K"}, 8, false, {}},
                    {"I", {"B", "T", "D", "C"}, 8, false, {}},
                    {"W", {"B", "C", "K"}, 8, true, {}}};
  return layer;
}

}  // namespace

TEST_CASE("a recurrent layer is cut where no piece needs what another one makes") {
  const Layer layer = recurrence(5);
  CHECK(layer.sequential_loop() == 4);
  CHECK(layer.may_be_cut(layer.loop_index("D")));  // other sentences
  CHECK(layer.may_be_cut(layer.loop_index("B")));  // the other direction
  CHECK_FALSE(layer.may_be_cut(layer.loop_index("K")));
  CHECK_FALSE(layer.may_be_cut(layer.loop_index("C")));
  CHECK_FALSE(layer.may_be_cut(layer.loop_index("T")));
}

TEST_CASE("a single step depends on no other") {
  const Layer layer = recurrence(1);
  CHECK(layer.sequential_loop() == -1);
  CHECK(layer.may_be_cut(layer.loop_index("K")));
}

TEST_CASE("a layer has one sequential loop at most") {
  Layer layer = recurrence(5);
  CHECK(loop_problems(layer).empty());
  layer.loops[1].sequential = true;
  REQUIRE(loop_problems(layer).size() == 1);
  CHECK(loop_problems(layer)[0].what == "is a second sequential loop");
}
