#include "core/output/mapping_yaml.hpp"

#include <doctest/doctest.h>

#include "core/input/yaml/document.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"

namespace zz::core {
namespace {

std::vector<LayerMapping> read_back(const std::string& text) {
  Diagnostics diagnostics;
  std::vector<LayerMapping> entries = read_mapping_text(text, "mapping.yaml", diagnostics).entries;
  CHECK(diagnostics.all().empty());
  return entries;
}

TEST_CASE("mapping files are read back as they were written") {
  LayerMapping full;
  full.spatial_mapping.dimensions = {{"D1", {{"K", 32}, {"C", 1}}}, {"D2", {}}};
  full.spatial_hints = {{"D3", {"OX", "OY"}}};
  full.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  full.temporal_ordering = {{"OX", 7, false}, {"N", std::nullopt, false}, {"*", std::nullopt, false}};
  full.cuts = {{"O", {{"acc", 2}, {"a memory", 3}}}, {"I", {{"dram", 3}}}};
  full.operand_precision = {{"O_final", 12}};
  full.core_allocation = {3, 1};
  full.layout = {{"I", {"..", "C"}}, {"W", {"FY", "FX", "C", "K"}}};
  LayerMapping empty;
  empty.memory_operands = {{"O", "O"}, {"I", "I1"}, {"W", "I2"}};
  for (const char* name : {"/layer1/conv.0", "a: b", "- \"quoted\" 'too'", "null", "42",
                           "tr\xc3\xbc"
                           "b",
                           "#x", "line\nbreak"}) {
    full.name = name;
    empty.name = std::string(name) + "2";
    const std::vector<LayerMapping> back = read_back(mapping_yaml({full, empty}));
    REQUIRE(back.size() == 3);
    CHECK(back[0] == full);
    CHECK(back[1] == empty);
    CHECK(back[2].name == "default");
  }
}

TEST_CASE("cuts stand in a comment, which readers of YAML pass over") {
  LayerMapping entry;
  entry.name = "a";
  entry.temporal_ordering = {{"K", 2}};
  entry.cuts = {{"W", {{"dram", 1}}}};
  const std::string text = mapping_yaml({entry});
  CHECK(text.find("\n# cuts: {W: {dram: 1}}\n") != std::string::npos);
  Diagnostics diagnostics;
  const yaml::Node node = yaml::load_text(text, "mapping.yaml", diagnostics);
  CHECK(node.items.at(0).find("cuts") == nullptr);
  CHECK(node.items.at(0).find("temporal_ordering") != nullptr);
}

TEST_CASE("a layer called default is the default entry") {
  LayerMapping entry;
  entry.name = "default";
  CHECK(read_back(mapping_yaml({entry})).size() == 1);
}

}  // namespace
}  // namespace zz::core
