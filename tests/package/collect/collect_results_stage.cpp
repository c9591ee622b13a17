// Writes the figures of every result that passes into one JSON file, so that a test can look at their
// order.
#include <zz/stage.hpp>

using namespace zz::literals;

struct CollectResultsStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.CollectResultsStage",
      .name = "CollectResultsStage",
      .summary = "Writes the figures of every result into one file, in their order"};

  std::string file;
  static constexpr auto params =
      zz::params(zz::param<&CollectResultsStage::file>("file", "where to").required());

  zz::Results run(zz::Value ctx) {
    std::vector<zz::Value> rows;
    for (zz::Result& result : substage(ctx)) {
      const zz::Value& evaluation = result.evaluation;
      rows.push_back(zz::make({{"energy", evaluation["energy_total"_n].num()},
                               {"mac_energy", evaluation["mac_energy"_n].num()},
                               {"mem_energy", evaluation["mem_energy"_n].num()},
                               {"latency", evaluation["latency_total2"_n].num()},
                               {"order", evaluation["temporal_mapping"_n]}}));
      co_yield std::move(result);
    }
    output(file, zz::make_list(rows).json());
  }
};

ZZ_PLUGIN("org.example.collect", CollectResultsStage)
