#include <doctest/doctest.h>

#include "core/workload/layer.hpp"

using namespace zz::core;

namespace {

Layer layer(std::int64_t id, const std::string& name) {
  Layer layer;
  layer.id = id;
  layer.name = name;
  layer.type = "Gemm";
  layer.loops = {{"D", 1}, {"K", 12}, {"C", 288}};
  layer.operands = {
      {"O", {"D", "K"}, 16, false, {}}, {"I", {"D", "C"}, 8, false, {}}, {"W", {"C", "K"}, 8, true, {}}};
  return layer;
}

}  // namespace

TEST_CASE("layers do the same work whatever they are called and wherever their operands come from") {
  const Layer one = layer(1, "first");
  Layer other = layer(2, "second");
  CHECK(same_work(one, other));
  other.operands[1].sources = {1};
  CHECK(same_work(one, other));
}

TEST_CASE("layers do different work when anything else differs") {
  const Layer one = layer(1, "first");
  Layer other = one;
  other.loops[1].size = 13;
  CHECK_FALSE(same_work(one, other));
  other = one;
  other.operands[2].precision = 4;
  CHECK_FALSE(same_work(one, other));
  other = one;
  other.mapping.spatial_mapping.dimensions = {{"D1", {{"K", 4}}}};
  CHECK_FALSE(same_work(one, other));
}
