#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/output/program/program_text.hpp"
#include "tests/unit/worlds/hand_example.hpp"

using namespace zz::core;
using namespace zz::test;
using nlohmann::json;

TEST_CASE("tile levels: from the whole layer to what the units do at once") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  const LayerProgram program = layer_program(evaluation);
  const json tiles = json::parse(tile_levels_json(program, *evaluation.layer));
  CHECK(tiles.at("layer") == "product");
  CHECK(tiles.at("dimensions") == json{{"B", 4}, {"K", 6}, {"C", 8}});
  CHECK(tiles.at("units") == json::array({{{"dimension", "K"}, {"size", 3}}}));
  const json& levels = tiles.at("levels");
  CHECK(levels.front().at("loops").empty());
  CHECK(levels.front().at("tile_sizes") == tiles.at("dimensions"));
  CHECK(levels.back().at("tile_sizes") == json{{"B", 1}, {"K", 3}, {"C", 1}});
  // Each loop of the mapping is at one level, outermost first, with the tile that it leaves.
  std::size_t loops = 0;
  json left = tiles.at("dimensions");
  for (const json& level : levels) {
    for (const json& loop : level.at("loops")) {
      const TemporalLoop& mapped = order_by_hand[order_by_hand.size() - ++loops];
      CHECK(loop.at("dimension") == mapped.dimension);
      CHECK(loop.at("size") == mapped.size);
      left[mapped.dimension] = loop.at("tile_size");
    }
    CHECK(level.at("tile_sizes") == left);
  }
  CHECK(loops == order_by_hand.size());
}

TEST_CASE("tile levels: every operand is copied once into each of its memories") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  const json tiles = json::parse(tile_levels_json(layer_program(evaluation), *evaluation.layer));
  json into = json::object();
  for (const json& level : tiles.at("levels"))
    for (const json& copy : level.at("copies")) {
      into[copy.at("operand").get<std::string>()].push_back(copy.at("to"));
      if (copy.at("to").is_null()) continue;
      CHECK(copy.at("from") == "dram");
    }
  const json both = json::array({"buffer", nullptr});
  CHECK(into == json{{"O", both}, {"W", both}, {"I", both}});
}

TEST_CASE("tile levels: a window's tile has the positions from its first to its last") {
  Layer layer = product_by_hand();
  layer.equation = "O[k][ox] = W[k][fx] * I[ix]";
  layer.loops = {{"K", 2}, {"OX", 8}, {"FX", 3}};
  layer.relations = {{"IX", 2, "OX", 1, "FX", 17, 0, 0, false}};
  layer.operands[0].dimensions = {"K", "OX"};
  layer.operands[1].dimensions = {"K", "FX"};
  layer.operands[2].dimensions = {"IX"};
  layer.mapping.spatial_mapping = {{{"D1", {{"K", 2}}}}};
  const Evaluation evaluation = evaluated(narrow_dram(), layer, {{"FX", 3}, {"OX", 8}});
  const json tiles = json::parse(tile_levels_json(layer_program(evaluation), *evaluation.layer));
  bool found = false;
  for (const json& level : tiles.at("levels"))
    for (const json& copy : level.at("copies"))
      if (copy.at("operand") == "I" && copy.at("to") == "buffer") {
        found = true;
        const std::int64_t rows = level.at("tile_sizes").at("OX");
        const std::int64_t taps = level.at("tile_sizes").at("FX");
        CHECK(copy.at("tile").at("IX") == 2 * (rows - 1) + taps);
      }
  CHECK(found);
}
