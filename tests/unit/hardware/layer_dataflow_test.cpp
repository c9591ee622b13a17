#include "core/hardware/layer_dataflow.hpp"

#include <doctest/doctest.h>

#include "tests/unit/worlds/accelerators.hpp"

using namespace zz::core;

namespace {

Layer elements(std::int64_t rows, std::int64_t columns) {
  Layer layer;
  layer.loops = {{"OX", columns}, {"OY", rows}};
  layer.operands = {{"O", {"OY", "OX"}, 8, false, {}}, {"I", {"OY", "OX"}, 8, false, {}}};
  layer.vector_work = true;
  return layer;
}

Accelerator lanes(const char* loop) {
  Accelerator core = zz::test::accelerator_with("lanes", {32}, {});
  if (loop != nullptr) core.dataflows.dimensions = {{"D1", {{loop, 32}}}};
  return core;
}

SpatialUnrolling over(const char* loop) { return {{{"D1", {{loop, 32}}}}}; }

}  // namespace

TEST_CASE("lanes go to the longest loop where the dataflow names none that the layer has") {
  CHECK(dataflow_of_layer(elements(7, 100), lanes("K")) == over("OX"));
  CHECK(dataflow_of_layer(elements(100, 7), lanes("K")) == over("OY"));
  CHECK(dataflow_of_layer(elements(100, 40), lanes("OX")) == over("OX"));
}

TEST_CASE("a core without dataflows unrolls the longest loop of the output") {
  CHECK(dataflow_of_layer(elements(100, 7), lanes(nullptr)) == over("OY"));
  Layer sum;
  sum.loops = {{"K", 5}, {"C", 1000}};
  sum.operands = {{"O", {"K"}, 8, false, {}}, {"I", {"K", "C"}, 8, false, {}}};
  CHECK(dataflow_of_layer(sum, lanes(nullptr)) == over("K"));
  CHECK(dataflow_of_layer(sum, lanes("C")) == over("C"));
}
