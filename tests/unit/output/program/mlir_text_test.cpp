#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/base/diagnostics.hpp"
#include "core/output/program/program_text.hpp"
#include "tests/unit/worlds/hand_example.hpp"

using namespace zz::core;
using namespace zz::test;

// That programs compute and count what they should is shown by running them: tests/execution/programs.py.

namespace {

std::string program(const Accelerator& accelerator = narrow_dram(), const Layer& layer = product_by_hand(),
                    const std::vector<TemporalLoop>& order = order_by_hand) {
  return mlir_text(layer_program(evaluated(accelerator, layer, order)));
}

}  // namespace

TEST_CASE("mlir: the first line says what is counted, and the function takes tensors and counters") {
  const std::string text = program();
  const std::string first = text.substr(0, text.find('\n'));
  REQUIRE(first.starts_with("// zz: "));
  const auto moved = nlohmann::json::parse(first.substr(7)).at("moved");
  for (const auto& entry : moved) {
    CHECK(entry.contains("operand"));
    CHECK(entry.contains("memory"));
    CHECK(entry.contains("direction"));
    CHECK(entry.at("words_by").get<double>() >= 1);
    CHECK(entry.contains("unexecuted") == entry.contains("because"));
  }
  const std::string counters = "%moved: memref<" + std::to_string(moved.size()) + "xi64>) {";
  CHECK(text.find("func.func @layer(%O: memref<4x6xi32>, %W: memref<6x8xi32>, %I: memref<4x8xi32>, " +
                  counters) != std::string::npos);
}

TEST_CASE("mlir: a memory has a buffer of its tile's size, and two with room for the next one") {
  Accelerator roomy = narrow_dram();
  roomy.memories[0].size = 1 << 16;
  const Evaluation evaluation = evaluated(roomy, product_by_hand(), order_by_hand);
  LayerProgram structure = layer_program(evaluation);
  structure.operands[1].at[1].tile = {3, 1};
  structure.operands[1].at[1].second_buffer = false;
  CHECK(mlir_text(structure).find("%W1_buffer = memref.alloc() : memref<1x6x1xi32>") != std::string::npos);
  structure.operands[1].at[1].second_buffer = true;
  CHECK(mlir_text(structure).find("%W1_buffer = memref.alloc() : memref<2x1x6x1xi32>") !=
        std::string::npos);
}

TEST_CASE("mlir: names of files cannot end a comment or a word") {
  Accelerator strange = narrow_dram();
  strange.memories[0].name = "l1\n}\nfunc.func @other()";
  const std::string text = program(strange);
  CHECK(text.find("\nfunc.func @other") == std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') > 10);
}

TEST_CASE("mlir: what takes more than 2 GB is refused by name") {
  Layer large = product_by_hand();
  large.loops = {{"B", 1 << 15}, {"K", 1 << 15}, {"C", 1}};
  Accelerator roomy = narrow_dram();
  roomy.memories[1].size = std::int64_t{1} << 40;
  try {
    program(roomy, large, {{"B", 1 << 15}, {"K", 1 << 13}});
    FAIL("not refused");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("layer 'product' has tensors and buffers of more than 2 GB") == 0);
  }
}
