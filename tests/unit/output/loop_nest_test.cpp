#include "core/output/loop_nest.hpp"

#include <doctest/doctest.h>
#include <memory>

#include "tests/unit/worlds/accelerators.hpp"

using namespace zz::core;
using zz::test::accelerator_with, zz::test::memory;

namespace {

/// O is in rf for the two inner loops; W and I are in dram only.
Evaluation evaluation() {
  auto layer = std::make_shared<Layer>();
  layer->name = "/fc/Gemm";
  layer->operands = {
      {"O", {"K"}, 16, false, {}}, {"W", {"K", "C"}, 8, true, {}}, {"I", {"C"}, 8, true, {}}};
  layer->mapping.memory_operands = {{"O", "O"}, {"I", "I1"}, {"W", "I2"}};
  auto spatial = std::make_shared<SpatialMapping>();
  spatial->operands = {{"O", {{{"C", 2}}, {{"K", 4}}, {}}}};
  auto temporal = std::make_shared<TemporalMapping>();
  temporal->loops = {{"C", 3}, {"OX", 7}, {"K", 16}};
  temporal->operands = {{"O", {1, 3}, {2, 3}}, {"W", {3}, {3}}, {"I", {3}, {3}}};
  Evaluation one;
  one.accelerator = std::make_shared<const Accelerator>(
      accelerator_with("small", {}, {memory("rf", 16, {"O"}), memory("dram", 4096, {"I1", "I2", "O"})}));
  one.layer = layer;
  one.spatial_mapping_int = spatial;
  one.temporal_mapping = temporal;
  return one;
}

}  // namespace

TEST_CASE("a loop listing has ZigZag's layout") {
  const std::string expected =
      "Loop ordering for /fc/Gemm\n"
      "==========================================================\n"
      "Temporal Loops                 O        I        W        \n"
      "==========================================================\n"
      "for K in [0, 16):              dram     dram     dram     \n"
      "----------------------------------------------------------\n"
      "  for OX in [0, 7):            rf       dram     dram     \n"
      "----------------------------------------------------------\n"
      "    for C in [0, 3):           rf       dram     dram     \n"
      "----------------------------------------------------------\n"
      "==========================================================\n"
      "Spatial Loops                                             \n"
      "==========================================================\n"
      "      parfor K in [0, 4):                                 \n"
      "----------------------------------------------------------\n"
      "      parfor C in [0, 2):                                 \n"
      "----------------------------------------------------------\n"
      "\n";
  CHECK(loop_listing(evaluation()) == expected);
}

TEST_CASE("a loop that its tiles do not divide tells the last one") {
  Evaluation one = evaluation();
  auto layer = std::make_shared<Layer>(*one.layer);
  layer->loops = {{"K", 64}, {"C", 6}, {"D", 197}};
  auto temporal = std::make_shared<TemporalMapping>(*one.temporal_mapping);
  temporal->loops = {{"D", 7}, {"K", 16}, {"D", 8}, {"C", 3}, {"D", 4}};
  temporal->operands = {{"O", {5, 5}, {5, 5}}, {"W", {5}, {5}}, {"I", {5}, {5}}};
  one.layer = layer;
  one.temporal_mapping = temporal;
  one.spatial_mapping = one.spatial_mapping_int;
  const LoopNest nest = loop_nest(one);
  CHECK(loop_text(nest, 0) == "for D in [0, 4), the last of 29");
  for (std::size_t loop = 1; loop < 5; ++loop) CHECK(nest.last_tile[loop] == 0);
  CHECK(loop_text(nest, 3) == "for K in [0, 16)");
}

TEST_CASE("a layer that is unrolled completely lists no temporal loop") {
  Evaluation one = evaluation();
  auto temporal = std::make_shared<TemporalMapping>();
  temporal->operands = {{"O", {0, 0}, {0, 0}}, {"W", {0}, {0}}, {"I", {0}, {0}}};
  one.temporal_mapping = temporal;
  const std::string text = loop_listing(one);
  CHECK(text.find("\nfor ") == std::string::npos);
  CHECK(text.find("\nparfor K in [0, 4):") != std::string::npos);
}

TEST_CASE("what a plugin leaves out is left out of the listing") {
  Evaluation one = evaluation();
  one.accelerator = nullptr;
  CHECK(loop_nest(one).operands.at(0).memory == std::vector<std::string_view>{"", "", ""});
  one.temporal_mapping = nullptr;
  one.spatial_mapping_int = nullptr;
  CHECK(loop_nest(one).temporal.empty());
  CHECK(loop_listing(one).find("Temporal Loops") != std::string::npos);
  CHECK(loop_listing(Evaluation{}).empty());
}
