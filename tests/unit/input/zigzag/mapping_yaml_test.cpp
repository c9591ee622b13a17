#include "core/input/zigzag/mapping_yaml.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/unit/worlds/texts.hpp"

using namespace zz::core;

namespace {

std::string mapping_errors(const std::string& text) {
  return zz::test::errors_of([&] {
    Diagnostics diagnostics;
    read_mapping_text(text, "m.yaml", diagnostics);
  });
}

}  // namespace

TEST_CASE("a mapping entry is read field by field") {
  Diagnostics diagnostics;
  const MappingFile mapping = read_mapping_text(
      "- name: default\n"
      "  spatial_mapping: {D1: ['K, 32'], D2: ['C, 4', 'FX, 3']}\n"
      "  spatial_mapping_hint: {D3: [OX, OY]}\n"
      "  memory_operand_links: {W: I2, O: O, I: I1}\n"
      "  temporal_ordering: [[ox, 7], ['*', '*'], [K, '*']]\n"
      "  layout: {I: [.., c], O: [B, OY, OX, K]}\n"
      "- name: Add\n"
      "  spatial_mapping:\n",
      "m.yaml", diagnostics);
  CHECK(diagnostics.all().empty());
  REQUIRE(mapping.entries.size() == 2);
  const LayerMapping& entry = mapping.entries[0];
  CHECK(entry.spatial_mapping.dimensions ==
        std::vector<ArrayUnrolling>{{"D1", {{"K", 32}}}, {"D2", {{"C", 4}, {"FX", 3}}}});
  CHECK(entry.spatial_hints == std::vector<UnrollingHint>{{"D3", {"OX", "OY"}}});
  CHECK(entry.memory_operands == std::vector<OperandAssignment>{{"W", "I2"}, {"O", "O"}, {"I", "I1"}});
  CHECK(entry.temporal_ordering ==
        std::vector<OrderingEntry>{{"OX", 7}, {"*", std::nullopt}, {"K", std::nullopt}});
  CHECK(entry.layout == std::vector<OperandLayout>{{"I", {"..", "C"}}, {"O", {"B", "OY", "OX", "K"}}});
  CHECK(mapping.entries[1].spatial_mapping.dimensions.empty());
  CHECK(mapping.entries[1].memory_operands ==
        std::vector<OperandAssignment>{{"O", "O"}, {"I", "I1"}, {"W", "I2"}});
}

TEST_CASE("entries may be 'layers', and no default is needed where every layer is named") {
  Diagnostics diagnostics;
  const MappingFile mapping = read_mapping_text(
      "layers:\n- {name: a, core_allocation: [[1], [0]]}\n- {name: Conv}\n", "m.yaml", diagnostics);
  CHECK(diagnostics.all().empty());
  CHECK(mapping.select("a", "Conv").core_allocation == std::vector<std::int64_t>{1, 0});
  CHECK(mapping.select("b", "Conv").name == "Conv");
  CHECK(errors_of([&] { mapping.select("b", "Gemm"); }) ==
        "0:0 the mapping has no entry for layer 'b': neither 'b', 'Gemm' nor 'default'");
}

TEST_CASE("mistakes in a mapping are found at their places") {
  CHECK(mapping_errors("- name: default\n  layout: {X: [K]}\n")
            .find("2:12 unknown operand 'X' in 'layout'") == 0);
  CHECK(mapping_errors("- name: default\n  layout: {I: C}\n").find("2:15 'I' in 'layout'") == 0);
  CHECK(mapping_errors("[]\n") == "1:1 the mapping file has no entry");
  CHECK(mapping_errors("- spatial_mapping:\n") == "1:3 the key 'name' is missing in a mapping entry");
  CHECK(mapping_errors("- name: default\n  spatial_maping: {}\n") ==
        "2:3 unknown key 'spatial_maping' in mapping entry 'default'");
  CHECK(
      mapping_errors("- name: default\n  spatial_mapping: {D1: [K, 16]}\n").find("2:26 an item of 'D1'") ==
      0);
  CHECK(mapping_errors("- name: default\n  spatial_mapping: {D1: ['K, 0']}\n") ==
        "2:26 the factor of K on D1 is 0; it must be 1 or more");
  CHECK(mapping_errors("- name: default\n  spatial_mapping: {D1: ['K, 2', 'K, 3']}\n")
            .find("2:34 the loop K stands twice") == 0);
  CHECK(mapping_errors("- name: default\n  spatial_mapping: {K: ['D1, 2']}\n")
            .find("2:21 'K' in 'spatial_mapping'") == 0);
  CHECK(mapping_errors("- name: default\n  spatial_mapping_hint:\n").find("2:3 'spatial_mapping_hint'") ==
        0);
  CHECK(mapping_errors("- name: default\n  memory_operand_links: {O: O, W: I2}\n")
            .find("the key 'I' is missing") != std::string::npos);
  CHECK(mapping_errors("- name: default\n  memory_operand_links: {O: O, W: I1, I: I1}\n") ==
        "2:42 W and I are both assigned to I1 in 'memory_operand_links' of mapping entry 'default'");
  CHECK(mapping_errors("- name: default\n  memory_operand_links: {O: O, W: I3, I: I1}\n")
            .find("unknown memory operand 'I3'") != std::string::npos);
  CHECK(mapping_errors("- name: default\n  temporal_ordering: [[K, 0]]\n").find("2:27 the size of K") == 0);
  CHECK(mapping_errors("- name: default\n  temporal_ordering: [[K, any]]\n").find("2:27 the size of K") ==
        0);
  CHECK(mapping_errors("- name: default\n  temporal_ordering: [K]\n")
            .find("2:23 an item of 'temporal_ordering'") == 0);
}

TEST_CASE("cuts in a comment that begins in another way are passed over, and told") {
  for (const std::string comment :
       {"  # cuts: {O: {l1: 0}}", "#cuts: {O: {l1: 0}}", "# cuts:  {O: {l1: 0}}", "#\tcuts :", "# cuts:"}) {
    CAPTURE(comment);
    Diagnostics diagnostics;
    const MappingFile mapping = read_mapping_text(
        "- name: default\n  temporal_ordering: [[K, 2]]\n" + comment + "\n", "m.yaml", diagnostics);
    CHECK(mapping.entries.at(0).cuts.empty());
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all()[0].severity == Severity::warning);
    CHECK(to_string(diagnostics.all()[0].mark) == fmt::format("m.yaml:3:{}", comment.find('#') + 1));
    CHECK(diagnostics.all()[0].hint == "where they are to count, the line begins with '# cuts: {'");
  }
  Diagnostics diagnostics;
  read_mapping_text("# cuts of a layer\n- name: default # cuts: none\n#\n  #  cut: 3", "m.yaml",
                    diagnostics);
  CHECK(diagnostics.all().empty());
}

TEST_CASE("cuts are read as a key or from a comment, each at its place") {
  for (const char* key : {"  cuts: ", "# cuts: "}) {
    const std::string before = "- name: default\n  temporal_ordering: [[K, 2]]\n" + std::string(key);
    Diagnostics diagnostics;
    const MappingFile mapping =
        read_mapping_text(before + "{O: {l1: 0, dram: 1}}\n  layout: {I: [C]}\n", "m.yaml", diagnostics);
    CHECK(diagnostics.all().empty());
    const LayerMapping& entry = mapping.entries.at(0);
    CHECK(entry.cuts == std::vector<OperandCuts>{{"O", {{"l1", 0}, {"dram", 1}}}});
    CHECK(entry.layout.size() == 1);
    CHECK(entry.places.place("cuts.O.dram") == "m.yaml:3:21");
    CHECK(mapping_errors(before + "{X: {l1: 0}}\n").find("3:10 unknown operand 'X' in 'cuts'") == 0);
    CHECK(mapping_errors(before + "{O: {l1: -1}}\n") ==
          "3:18 'l1' of 'O' in 'cuts' of mapping entry 'default' is -1; a memory holds the data of 0 loops "
          "or more");
    CHECK(mapping_errors(before + "{O: {l1: half}}\n").find("3:18 'l1' of 'O' in 'cuts'") == 0);
    CHECK(mapping_errors(before + "{O: 3}\n").find("'O' in 'cuts' of mapping entry") != std::string::npos);
  }
  CHECK(mapping_errors("- name: default\n  cuts: {O: {l1: 0}}\n").find("2:9 'cuts' of mapping entry") == 0);
}

TEST_CASE("what is not used in a mapping is warned about") {
  Diagnostics diagnostics;
  read_mapping_text(
      "- name: default\n  core_allocation: [0, 1]\n  core_allocation_is_fixed: true\n- name: default\n",
      "m.yaml", diagnostics);
  REQUIRE(diagnostics.all().size() == 2);
  CHECK(diagnostics.all()[0].mark.line == 3);
  CHECK(diagnostics.all()[1].mark.line == 4);
}

TEST_CASE("cores are one or a list, each once") {
  Diagnostics diagnostics;
  const MappingFile mapping = read_mapping_text(
      "- name: default\n- name: a\n  core_allocation: 3\n  core_allocation_is_fixed: true\n"
      "- name: b\n  core_allocation: [2, 0, 2]\n",
      "m.yaml", diagnostics);
  CHECK(diagnostics.all().empty());
  using Cores = std::vector<std::int64_t>;
  CHECK(mapping.entries[0].core_allocation == Cores{0});
  CHECK(mapping.entries[1].core_allocation == Cores{3});
  CHECK(mapping.entries[2].core_allocation == Cores{2, 0});
  CHECK(mapping_errors("- name: default\n  core_allocation: [0, -1]\n").find("2:24 'core_allocation'") ==
        0);
  CHECK(mapping_errors("- name: default\n  core_allocation: []\n").find("2:20 'core_allocation'") == 0);
  CHECK(mapping_errors("- name: default\n  core_allocation: all\n").find("2:20 'core_allocation'") == 0);
  CHECK(mapping_errors("- name: default\n  intra_core_tiling: ['OY, all']\n")
            .find("2:22 'intra_core_tiling'") == 0);
}
