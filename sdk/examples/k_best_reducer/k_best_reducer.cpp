// Keeps the k best results of the chain below, by a metric named in the pipeline file.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <zz/stage.hpp>

using namespace zz::literals;

struct KBestReducer : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.KBestReducer",
      .name = "KBestReducer",
      .summary = "Passes on the k best results by one metric, best first",
      .doc =
          "Reads everything that the chain below yields, orders it by `metric` (smaller is better, the "
          "earlier "
          "one wins a tie) and passes on the first `keep`.",
      .flags = ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string metric = "energy_total";
  int64_t keep = 1;
  static constexpr auto params = zz::params(
      zz::param<&KBestReducer::metric>("metric", "name of the metric to compare, such as latency_total2"),
      zz::param<&KBestReducer::keep>("keep", "how many results to pass on").allowed("[1, inf]"));

  zz::Name metric_name;
  void prepare() { metric_name = zz::Name(metric); }

  // Lets a mapper below leave out what cannot be among the best.
  zz_demand demand() const {
    return {static_cast<uint32_t>(std::min<int64_t>(keep, UINT32_MAX)), 1, {metric_name.id()}};
  }

  zz::Results run(zz::Value ctx) {
    std::vector<zz::Result> all;
    for (zz::Result& result : substage(ctx, 64)) all.push_back(std::move(result));

    const std::vector<double> cost = zz::metric(all, metric_name);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (std::isnan(cost[i]))
        throw zz::Error(ZZ_E_MISSING,
                        "result " + std::to_string(i + 1) + " has no metric '" + metric + "'");

    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return cost[a] < cost[b]; });
    order.resize(std::min<std::size_t>(order.size(), static_cast<std::size_t>(keep)));
    for (const std::size_t i : order) co_yield std::move(all[i]);
  }
};

ZZ_PLUGIN("org.example.k_best", KBestReducer)
