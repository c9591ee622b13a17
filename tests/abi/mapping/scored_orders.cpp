// A stage of a third party that has orders scored in numbers, and opens the chain below for each of them as
// well: both must say the same to the last bit, whether the host shares the loops out or the cuts are
// given.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "zz/stage.hpp"

namespace {

struct Order {
  std::vector<uint8_t> dimension, cuts;
  std::vector<int64_t> size;
  uint32_t levels = 0;

  zz_order raw(bool with_cuts = false, bool even = false) const {
    return {.dimension = dimension.data(),
            .size = size.data(),
            .cuts = with_cuts ? cuts.data() : nullptr,
            .loops = static_cast<uint32_t>(size.size()),
            .levels = levels,
            .even = even ? 1 : 0};
  }
};

struct ScoredOrdersStage : zz::Stage {
  static constexpr zz::Description description{.id = "org.test.ScoredOrdersStage",
                                               .name = "ScoredOrdersStage",
                                               .summary = "has orders scored",
                                               .flags = ZZ_STAGE_DETERMINISTIC};
  int64_t orders = 100, timed = 0;
  std::string mistake = "none";
  static constexpr auto params = zz::params(
      zz::param<&ScoredOrdersStage::orders>("orders", "how many"),
      zz::param<&ScoredOrdersStage::timed>("timed", "how many more are scored against the clock"),
      zz::param<&ScoredOrdersStage::mistake>("mistake", "what is wrong with the last order")
          .allowed("none|loops|dimension|cuts|levels|key"));
  static constexpr zz::Port consumes[] = {
      zz::object("layer", "layer", "its loops"),
      zz::object("accelerator", "accelerator", "has the memories"),
      zz::object("spatial_mapping", "spatial_mapping", "what is unrolled"),
      zz::object("temporal_mapping", "temporal_mapping", "has the loops")};
  static constexpr zz::Port provides[] = {
      zz::object("temporal_mapping", "temporal_mapping", "another order")};

  static Order order_of(const zz::Value& ctx) {
    Order order;
    for (zz::Ref loop : ctx["temporal_mapping.loops"]) {
      uint8_t dimension = 0;
      for (zz::Ref known : ctx["layer.loops"]) {
        if (known["name"].str() == loop["dimension"].str()) break;
        ++dimension;
      }
      order.dimension.push_back(dimension);
      order.size.push_back(loop["size"].i64());
    }
    return order;
  }
  static void read_cuts(Order& order, const zz::Value& mapping) {
    order.levels = 0;
    for (zz::Ref operand : mapping["operands"])
      order.levels = std::max(order.levels, static_cast<uint32_t>(operand["stationary"].size()));
    order.cuts.clear();
    for (zz::Ref operand : mapping["operands"]) {
      for (zz::Ref cut : operand["stationary"]) order.cuts.push_back(static_cast<uint8_t>(cut.i64()));
      order.cuts.resize(order.cuts.size() + order.levels - operand["stationary"].size());
    }
  }
  static void same(double a, double b, const char* what) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return;
    throw zz::Error(ZZ_E_INTERNAL,
                    std::string(what) + ": " + std::to_string(a) + " is not " + std::to_string(b));
  }

  // The figures of an opening, NaN where the order does not fit.
  std::vector<double> opened(const zz::Value& ctx, zz::RowScorer& scorer, const zz_order& raw,
                             std::span<const zz::Name> metrics, zz::Value& mapping) const {
    std::vector<double> figures(metrics.size(), NAN);
    try {
      mapping = scorer.mapping(raw);
    } catch (const zz::Error& problem) {
      if (problem.code != ZZ_E_NO_RESULT) throw;
      return figures;
    }
    for (zz::Result& result : substage(zz::with(ctx, {{"temporal_mapping", mapping}})))
      for (std::size_t j = 0; j < metrics.size(); ++j) figures[j] = result.evaluation[metrics[j]].num();
    return figures;
  }

  void go_wrong(zz::RowScorer& scorer, Order order, const zz::Value& mapping) const {
    double score[4];
    if (mistake == "loops") order.size.back() *= 2;
    if (mistake == "dimension") order.dimension.back() = 200;
    read_cuts(order, mapping);
    if (mistake == "cuts") order.cuts[order.levels - 1] = 0;
    if (mistake == "levels") order.levels = 1;
    const zz_order raw = order.raw(mistake == "cuts" || mistake == "levels");
    scorer.score({&raw, 1}, score);
  }

  zz::Results run(zz::Value ctx) {
    const zz::Name temporal("temporal_mapping");
    const std::vector<zz::Name> numbers{zz::Name("energy_total"), zz::Name("latency_total2"),
                                        zz::Name("latency_total0"), zz::Name("edp")},
        values{zz::Name("energy_total"), zz::Name("mac_utilization2")};
    auto bare = scorer(ctx, mistake == "key" ? zz::Name("layer") : temporal, numbers),
         generic = scorer(ctx, temporal, values);
    Order order = order_of(ctx);
    std::mt19937_64 random(1);
    int64_t fitted = 0;
    zz::Value mapping = ctx.hold(ctx["temporal_mapping"]);
    if (mistake != "none") go_wrong(*bare, order, mapping);
    for (int64_t i = 0; i < orders; ++i) {
      for (std::size_t left = order.size.size(); left > 1; --left) {
        const std::size_t other = random() % left;
        std::swap(order.size[left - 1], order.size[other]);
        std::swap(order.dimension[left - 1], order.dimension[other]);
      }
      double score[4];
      for (const bool even : {true, false}) {
        const zz_order raw = order.raw(false, even);
        bare->score({&raw, 1}, score);
        const std::vector<double> figures = opened(ctx, *bare, raw, numbers, mapping);
        for (std::size_t j = 0; j < numbers.size(); ++j)
          same(score[j], figures[j], "shared out by the host");
        double others[2];
        generic->score({&raw, 1}, others);
        same(others[0], score[0], "by values");
      }
      if (std::isnan(score[0])) continue;
      ++fitted;
      read_cuts(order, mapping);
      double cut[4];
      const zz_order raw = order.raw(true);
      bare->score({&raw, 1}, cut);
      for (std::size_t j = 0; j < numbers.size(); ++j) same(cut[j], score[j], "cut as the host does");
      // Another cut of the first operand: one loop less in its lowest memory.
      if (order.levels < 2 || order.cuts[0] == 0) continue;
      --order.cuts[0];
      bare->score({&raw, 1}, cut);
      zz::Value changed;
      const std::vector<double> figures = opened(ctx, *bare, raw, numbers, changed);
      for (std::size_t j = 0; j < numbers.size(); ++j) same(cut[j], figures[j], "cut otherwise");
    }
    count("orders that fit", static_cast<uint64_t>(fitted));
    if (timed > 0) {
      const auto begin = std::chrono::steady_clock::now();
      for (int64_t i = 0; i < timed; ++i) {
        const std::size_t a = random() % order.size.size(), b = random() % order.size.size();
        std::swap(order.size[a], order.size[b]);
        std::swap(order.dimension[a], order.dimension[b]);
        double score[4];
        const zz_order raw = order.raw();
        bare->score({&raw, 1}, score);
      }
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      log(zz::Level::warning,
          std::to_string(1e9 * took.count() / static_cast<double>(timed)) + " ns an order");
    }
    for (zz::Result& result : substage(ctx)) co_yield std::move(result);
  }
};

}  // namespace

ZZ_PLUGIN("org.test.scored_orders", ScoredOrdersStage)
