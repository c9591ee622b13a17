#include "plugins/transformer/serving_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/evaluation.hpp"
#include "plugins/transformer/decoder_config.hpp"
#include "plugins/transformer/decoder_workload.hpp"
#include "plugins/transformer/serving_costs.hpp"
#include "plugins/transformer/shard.hpp"
#include "plugins/transformer/step_builder.hpp"
#include "tests/unit/transformer/public_models.hpp"

namespace {

using namespace zz::core;
using namespace zz::plugins;

MappingFile plain_mapping() {
  MappingFile file;
  LayerMapping entry;
  entry.name = "default";
  entry.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  file.entries = {entry};
  return file;
}

ServingPlan plan_of(const Decoder& decoder, const std::vector<std::int64_t>& degrees,
                    const ServingPoints& grid) {
  Diagnostics diagnostics;
  return plan_serving_rows(decoder, degrees, grid, {}, true, plain_mapping(), {}, diagnostics);
}

Decoder small_decoder(const std::string& more = "") {
  Diagnostics diagnostics;
  return read_decoder("",
                      R"({hidden_size: 32, num_hidden_layers: 3, num_attention_heads: 4,
                          num_key_value_heads: 2, intermediate_size: 48, vocab_size: 61)" +
                          more + "}",
                      diagnostics);
}

/// A plan of rows of one kind, one piece each, with the cycles that are given for rising axes.
struct Priced {
  ServingPlan plan;
  std::vector<ServingCost> pieces;

  void add(ServingTable table, std::vector<std::int64_t> axes, std::vector<double> cycles) {
    ServingRow row{1, table, "row", std::move(axes), {}};
    for (const double one : cycles) {
      row.uses.push_back({static_cast<std::uint32_t>(pieces.size()), 1});
      pieces.emplace_back();
      pieces.back().cycles = one;
      if (one < 0) pieces.back().without = "too large";
    }
    plan.rows.push_back(row);
  }
};

}  // namespace

TEST_CASE("serving plan: each layer of a step is in one row, of all public models") {
  const ServingPoints grid{{4}, {4}, {2}, {4}, {0, 8}};
  for (const auto& model : zz::test::public_models()) {
    CAPTURE(model.name);
    Diagnostics diagnostics;
    const Decoder decoder = read_decoder("", model.config, diagnostics);
    const ServingPlan plan = plan_of(decoder, {1}, grid);
    std::vector<double> times(plan.layers.size());
    const ExpertLoad load = decoder.experts.count == 0
                                ? ExpertLoad{}
                                : expert_load(decoder.experts.count, decoder.experts.chosen, 4);
    const std::vector<std::int64_t> attention = {0, 0, 4, 8}, experts = {4, load.experts};
    bool has_load = decoder.experts.count == 0;
    for (const ServingRow& row : plan.rows) {
      if (row.table == ServingTable::kernels) continue;
      if (row.table == ServingTable::attention && row.axes != attention) continue;
      if (row.table == ServingTable::experts && row.axes != experts) continue;
      has_load = has_load || row.table == ServingTable::experts;
      for (const ServingRow::Use& use : row.uses)
        for (const std::uint32_t layer : plan.pieces[use.piece].layers)
          times[layer] += use.times * row.in_step;
    }
    if (!has_load) continue;  // the number of experts on average is no point of the table
    DecoderStep step;
    step.batch = 4;
    step.context = 8;
    step.absorbed = step.vector_layers = true;
    const Workload whole = make_decoder_workload(decoder, step, {}, plain_mapping(), {}, diagnostics);
    for (const auto& layer : whole.layers) {
      const auto same = std::find_if(plan.layers.begin(), plan.layers.end(),
                                     [&](const auto& one) { return same_work(*one, *layer); });
      REQUIRE_MESSAGE(same != plan.layers.end(), layer->name);
      times[static_cast<std::size_t>(same - plan.layers.begin())] -= 1;
    }
    for (const double left : times) CHECK(left == doctest::Approx(0).epsilon(1e-9));
  }
}

TEST_CASE("serving plan: degrees share out heads and columns, and a vocabulary that is made longer") {
  const Decoder decoder = small_decoder();
  CHECK(degrees_of(decoder) == std::vector<std::int64_t>{1, 2});
  const Decoder half = shard_of(decoder, 2);
  CHECK(half.attention.heads == 2);
  CHECK(half.attention.cached_heads == 1);
  CHECK(half.attention.key_width == decoder.attention.key_width);
  CHECK(half.feed_forward.width == 24);
  CHECK(half.vocabulary == 31);
  CHECK(half.width == decoder.width);
  CHECK_THROWS_AS(shard_of(decoder, 4), InputError);
  // Experts are whole, and a mixture without another feed-forward part has none to share out.
  const Decoder mixture =
      small_decoder(", num_local_experts: 4, num_experts_per_tok: 2, moe_intermediate_size: 7");
  CHECK(shard_of(mixture, 2).experts.width == 7);
}

TEST_CASE("serving plan: experts are those of the lowest degree, as many as tokens can need") {
  const Decoder mixture =
      small_decoder(", num_local_experts: 6, num_experts_per_tok: 2, moe_intermediate_size: 16");
  const ServingPlan plan = plan_of(mixture, {1, 2}, {{1, 2, 4}, {1}, {1}, {1}, {0, 1}});
  std::vector<std::vector<std::int64_t>> points;
  for (const ServingRow& row : plan.rows)
    if (row.table == ServingTable::experts) {
      CHECK(row.degree == 1);
      points.push_back(row.axes);
    }
  CHECK(points == std::vector<std::vector<std::int64_t>>{{1, 2}, {2, 2}, {2, 4}, {4, 2}, {4, 4}, {4, 6}});
}

TEST_CASE("serving costs: no row takes longer than a larger one, which is told") {
  Priced priced;
  priced.add(ServingTable::dense, {1}, {5});
  priced.add(ServingTable::dense, {2}, {9, 1});
  priced.add(ServingTable::dense, {4}, {7});
  priced.add(ServingTable::dense, {8}, {-1});
  const std::vector<ServingCost> costs = costs_of_rows(priced.plan, priced.pieces);
  CHECK(costs[0].cycles == 5);
  CHECK(costs[0].as.empty());
  CHECK(costs[1].cycles == 7);
  CHECK(costs[1].as == std::vector<std::int64_t>{4});
  CHECK(costs[1].uses.size() == 1);
  CHECK(costs[2].cycles == 7);
  CHECK(costs[3].without == "too large");
}

TEST_CASE("serving costs: a chunk and what decodes beside it follow each other") {
  Priced priced;
  priced.add(ServingTable::attention, {2, 0, 0, 0}, {10});
  priced.add(ServingTable::attention, {2, 4, 0, 0}, {8});
  priced.add(ServingTable::attention, {0, 0, 1, 4}, {3});
  priced.add(ServingTable::attention, {2, 0, 1, 4}, {});
  const std::vector<ServingCost> costs = costs_of_rows(priced.plan, priced.pieces);
  CHECK(costs[0].cycles == 8);
  CHECK(costs[3].cycles == 11);
  CHECK(costs[3].as == std::vector<std::int64_t>{2, 4, 1, 4});
}

TEST_CASE("serving costs: limits of layers are added, the largest first") {
  ServingCost first, second, sum;
  first.limits = {{"dram.port", 3}, {"units", 2}};
  first.cycles = 5;
  second.limits = {{"units", 2}};
  second.cycles = 2;
  sum.add(first, 1);
  sum.add(second, 2);
  CHECK(sum.cycles == 9);
  CHECK(sum.limited_by() == "units");
  CHECK(ServingCost{}.limited_by().empty());
}
