#include "plugins/pictures/cut_reports.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "plugins/pictures/schedule_tables.hpp"
#include "tests/unit/worlds/schedules.hpp"

using namespace zz::plugins;

namespace zz::core {
namespace {

/// The second layer of the small schedule cut into pieces of K, whose weights have so many bits an element.
Schedule cut_in_k(std::int64_t pieces, std::int64_t bits) {
  Schedule made = test::small_schedule();
  auto graph = std::make_shared<ComputationNodeGraph>(*made.graph);
  Layer layer = *graph->layers[1].layer;
  layer.operands[1].precision = bits;
  CutLayer& second = graph->layers[1];
  const CutLayer cut = cut_layer(layer, {{0, pieces, false}}, {16, 16});
  second.layer = cut.layer;
  second.piece = cut.piece;
  second.outer_loops = cut.outer_loops;
  second.loop_sizes = cut.loop_sizes;
  second.node_count = cut.node_count;
  for (int piece = 1; piece < pieces; ++piece) {
    ScheduledNode node = made.nodes.back();
    node.node = static_cast<int>(graph->nodes.size());
    graph->nodes.push_back(graph->nodes.back());
    graph->nodes.back().sub_id = piece;
    made.nodes.push_back(node);
  }
  made.graph = graph;
  return made;
}

Schedule with_unrolling(Schedule made, double factor) {
  auto costs = std::make_shared<CoreCosts>(*made.costs);
  for (CoreCost& cost : costs->layers[1].on) {
    auto evaluation = std::make_shared<Evaluation>(*cost.evaluation);
    evaluation->spatial_mapping_int =
        std::make_shared<SpatialMapping>(SpatialMapping{{{"O", {{{"K", factor}}}}}});
    cost.evaluation = evaluation;
  }
  made.costs = costs;
  return made;
}

}  // namespace

TEST_CASE("a layer that is not cut is whole") {
  const std::vector<CutReport> cuts = cut_reports(test::small_schedule());
  REQUIRE(cuts.size() == 2);
  CHECK(cuts[0].loops == "whole");
  CHECK(cuts[0].pieces == 1);
  CHECK(cuts[0].cores == std::vector<int>{0});
  CHECK(cuts[0].work == 16);
  CHECK(cuts[0].not_larger == "");
}

TEST_CASE("what keeps the pieces of a cut from being larger") {
  // A piece: 8 of K, so 8 x 16 weights and 8 x 16 + 16 x 8 bits beside them, in 4096 bits.
  const CutReport full = cut_reports(cut_in_k(2, 24))[1];
  CHECK(full.loops == "K in 2");
  CHECK(full.pieces == 2);
  CHECK(full.room == doctest::Approx((8 * 16 * 24 + 8 * 16 + 16 * 8) / 4096.0));
  CHECK(full.memory == "core 1: sram");
  CHECK(full.not_larger.find("room: with K in 1, a piece would take 159 %") == 0);
  CHECK(cut_reports(cut_in_k(2, 8))[1].not_larger.find("overlap: others wait for 1/2") == 0);
}

TEST_CASE("pieces that are just enough for their cores are parallel work, and more of them overlap") {
  Schedule made = cut_in_k(4, 8);
  for (std::size_t piece = 0; piece < 4; ++piece)
    made.nodes[made.nodes.size() - 4 + piece].core = static_cast<int>(piece % 2);
  CHECK(cut_reports(made)[1].not_larger.find("overlap") == 0);  // K in 2 is enough for two cores
  made.nodes.back().core = 2;
  CHECK(cut_reports(made)[1].not_larger.find("parallel work: with K in 2, fewer than 3 cores") == 0);
}

TEST_CASE("what keeps the pieces of a cut from being smaller") {
  CHECK(cut_reports(cut_in_k(16, 8))[1].not_smaller.find("iterations") == 0);
  CHECK(cut_reports(with_unrolling(cut_in_k(2, 8), 8))[1].not_smaller.find(
            "lanes: with half as much of K") == 0);
  CHECK(cut_reports(with_unrolling(cut_in_k(2, 8), 4))[1].not_smaller.find("nothing") == 0);
}

TEST_CASE("what resources wait for in two schedules is side by side") {
  const VegaTables one = {{"schedule", {{{"latency", 5}}}},
                          {"times", {{{"resource", "core 0"}, {"use", "computing"}, {"cycles", 5}}}}};
  const VegaTables two = {{"schedule", {{{"latency", 7}}}},
                          {"times",
                           {{{"resource", "core 0"}, {"use", "computing"}, {"cycles", 7}},
                            {{"resource", "bus"}, {"use", "nothing to do"}, {"cycles", 7}}}}};
  const std::vector<NamedSchedule> both{{"before", &one}, {"now", &two}};
  const VegaTables tables = waits_tables(both);
  REQUIRE(tables.at("bars").size() == 3);
  CHECK(tables.at("bars")[0].at("label") == "core 0, before");
  CHECK(tables.at("bars")[1].at("label") == "core 0, now");
  CHECK(tables.at("bars")[2].at("label") == "bus, now");
  CHECK(tables.at("bars")[1].at("latency") == 7);
  CHECK(tables.at("times")[2].at("bar") == 2);
}

}  // namespace zz::core
