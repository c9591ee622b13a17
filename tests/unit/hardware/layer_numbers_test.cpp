#include "core/hardware/layer_numbers.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/layer_sparsity.hpp"
#include "core/workload/layer_precision.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;

namespace {

/// A product whose file says blocks of its weights.
Layer with_scales_of_file(const std::string& name) {
  Layer layer = zz::test::gemm(4, 8, 64);
  layer.name = name;
  set_precision(layer, "W", {4, {8, 32, "C"}});
  assume_scale(layer, "W");
  return layer;
}

bool has_scales(const Layer& layer) {
  return layer.operands[static_cast<std::size_t>(layer.operand_index("W"))].scale.any();
}

OperationalArray units_taking(std::vector<OperandPrecision> precision, bool converts = false) {
  OperationalArray array;
  array.operand_precision = std::move(precision);
  array.converts = converts;
  return array;
}

}  // namespace

TEST_CASE("scales of a file count where the array takes or converts them, and else each has its reason") {
  OperationalArray in_memory = units_taking({});
  in_memory.imc.emplace();
  const struct {
    OperationalArray array;
    std::string no_scales, why;
  } cases[] = {
      {units_taking({}), "", ""},
      {units_taking({{"W", 4, {8, 32, ""}}}), "", ""},
      {units_taking({{"W", 8}}, true), "", ""},
      {units_taking({{"W", 8}}), "", "the units take other numbers"},
      {in_memory, "", "an array that computes in memory keeps none"},
      {units_taking({{"W", 8}}, true), "ZigZag knows none", "ZigZag knows none"},
      {in_memory, "ZigZag knows none", "ZigZag knows none"},
  };
  for (const auto& one : cases) {
    const auto& [array, no_scales, why] = one;
    CAPTURE(one.why);
    Layer layer = with_scales_of_file("product");
    const std::string told = leave_out_scales_on(layer, array, no_scales);
    CHECK(told.substr(0, why.size()) == why);
    CHECK(told.empty() == why.empty());
    CHECK(has_scales(layer) == why.empty());
    Layer said = with_scales_of_file("product");
    set_precision(said, "W", {4, {8, 32, "C"}});  // by somebody else than the file
    CHECK(leave_out_scales_on(said, array, no_scales).empty());
    CHECK(has_scales(said));
  }
}

TEST_CASE("a warning of scales that do not count for each reason, with its layers") {
  IgnoredScales layers;
  CHECK(layers.sentences().empty());
  layers.add("a", "one");
  layers.add("a", "one");
  layers.add("b", "");
  CHECK(layers.sentences() ==
        std::vector<std::string>{"the scales of the blocks of 1 layer, which the network's "
                                 "file has, do not count: one"});
  for (const char* name : {"c", "d", "e", "f"}) layers.add(name, "other");
  REQUIRE(layers.sentences().size() == 2);
  CHECK(layers.sentences()[0] ==
        "the scales of the blocks of 1 layer (a), which the network's file has, do not "
        "count: one");
  CHECK(layers.sentences()[1] ==
        "the scales of the blocks of 4 layers (c, d, e, ...), which the network's file "
        "has, do not count: other");
}

TEST_CASE("zeros of what has no cost are told as such, and names of nothing as nothing") {
  Accelerator accelerator;
  accelerator.name = "small";
  accelerator.workload_sparsity = {{"product.W", 0.5}, {"pool.I", 0.5}, {"nothing.I", 0.5}, {"po*", 0.25}};
  Layer layer = with_scales_of_file("product");
  const auto told =
      entries_without_tensors(accelerator, {std::make_shared<const Layer>(layer)}, {"pool", "pooh"});
  REQUIRE(told.size() == 3);
  CHECK(told[0] ==
        "workload_sparsity of 'small' names 'pool.I', which decides only for tensors of what has no "
        "cost here, as 'pool'");
  CHECK(told[1].find("'nothing.I', which decides for no tensor of the network") != std::string::npos);
  CHECK(told[2].find("'po*', which decides only for tensors of what has no cost here, as 'pool'") !=
        std::string::npos);
}
