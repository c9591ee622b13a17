// Writes every evaluation that passes into one JSON file, so that a test can look at all of them in their
// order.
#include <zz/stage.hpp>

struct CollectResultsStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.CollectResultsStage",
      .name = "CollectResultsStage",
      .summary = "Writes every evaluation into one file, in their order"};

  std::string file;
  static constexpr auto params =
      zz::params(zz::param<&CollectResultsStage::file>("file", "where to").required());

  zz::Results run(zz::Value ctx) {
    std::vector<zz::Value> all;
    for (zz::Result& result : substage(ctx)) {
      all.push_back(result.evaluation);
      co_yield std::move(result);
    }
    output(file, zz::make_list(all).json());
  }
};

ZZ_PLUGIN("org.example.collect", CollectResultsStage)
