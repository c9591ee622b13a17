#include "core/search/fused/known_layers.hpp"

#include <doctest/doctest.h>
#include <memory>

#include "core/search/fused/fused_search.hpp"
#include "tests/unit/search/fused/einsums.hpp"

namespace zz {
namespace {

/// Scores and context over some keys, and a product that does not depend on their number.
core::Workload attention(std::int64_t keys) {
  return test::workload({"attention",
                         {{'m', 2}, {'p', keys}, {'a', 4}, {'e', 4}, {'f', 4}},
                         {{"query", {{"x", "ma"}, {"u", "ae"}}, {"q", "me"}},
                          {"scores", {{"q", "me"}, {"k", "pe"}}, {"s", "mp"}},
                          {"context", {{"s", "mp"}, {"v", "pf"}}, {"o", "mf"}}}});
}

}  // namespace

TEST_CASE("fused: what is known of layers changes no result") {
  const auto array = std::make_shared<const core::Accelerator>(test::accelerator({8 * 24, 8}));
  for (const auto objective : {core::Objective::energy, core::Objective::latency}) {
    core::KnownLayers known;
    core::JointOptions options;
    options.objective = objective;
    for (std::int64_t keys = 1; keys <= 8; ++keys) {
      CAPTURE(keys);
      const core::Workload workload = attention(keys);
      const auto search = [&](core::KnownLayers* searches) {
        std::vector<core::NetworkLayer> layers;
        for (const auto& layer : workload.layers)
          layers.emplace_back(core::mapped_alone(layer, core::find_joint_optimum(*layer, array, options),
                                                 options.objective));
        return core::find_fused_mapping(core::fused_network(workload, std::move(layers)),
                                        {.objective = objective, .known = searches});
      };
      const core::FusedOptimum fresh = search(nullptr), again = search(&known);
      CHECK(again.value == fresh.value);
      CHECK(again.lower_bound == fresh.lower_bound);
      CHECK(again.unfused == fresh.unfused);
      CHECK(again.labels == fresh.labels);
      CHECK(again.latency.promised == fresh.latency.promised);
      for (std::size_t layer = 0; layer < workload.layers.size(); ++layer)
        CHECK(again.mapping.layers[layer].problem.layer->name ==
              fresh.mapping.layers[layer].problem.layer->name);
    }
  }
}

}  // namespace zz
