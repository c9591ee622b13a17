// A mapper of one's own: tries random loop orders, and lets the host share them out over the memories.
#include <algorithm>
#include <cmath>
#include <random>
#include <zz/stage.hpp>

struct RandomOrderStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "org.example.RandomOrderStage",
      .name = "RandomOrderStage",
      .summary = "Tries random loop orders, and reports how many fit into the memories",
      .flags = ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  int64_t orders = 20;
  int64_t seed = 1;
  static constexpr auto params =
      zz::params(zz::param<&RandomOrderStage::orders>("orders", "how many are tried").allowed("[1, inf]"),
                 zz::param<&RandomOrderStage::seed>("seed", "of the random numbers"));
  static constexpr zz::Port consumes[] = {
      zz::object("layer", "layer", "its loops are put into order").anonymous(),
      zz::object("accelerator", "accelerator", "has the memories"),
      zz::object("spatial_mapping", "spatial_mapping", "what it unrolls is not iterated in time")};
  static constexpr zz::Port provides[] = {
      zz::object("temporal_mapping", "temporal_mapping", "one order, shared out over the memories")};

  // The prime factors of what each loop leaves to be iterated in time.
  static std::vector<zz::Value> loops_of(const zz::Value& ctx) {
    std::vector<zz::Value> loops;
    for (zz::Ref loop : ctx["layer.loops"]) {
      double unrolled = 1;
      for (zz::Ref level : ctx["spatial_mapping.operands[0].levels"])
        for (zz::Ref part : level)
          if (part["dimension"].str() == loop["name"].str()) unrolled *= part["factor"].num();
      auto left = static_cast<int64_t>(std::ceil(loop["size"].num() / unrolled - 1e-9));
      for (int64_t factor = 2; left > 1; ++factor)
        for (; left % factor == 0; left /= factor)
          loops.push_back(zz::make({{"dimension", loop["name"].str()}, {"size", factor}}));
    }
    return loops;
  }

  zz::Results run(zz::Value ctx) {
    std::vector<zz::Value> loops = loops_of(ctx);
    std::mt19937_64 random(static_cast<uint64_t>(seed));
    int64_t fitted = 0;
    double best = INFINITY;
    for (int64_t i = 0; i < orders && !cancelled(); ++i) {
      for (std::size_t left = loops.size(); left > 1; --left)
        std::swap(loops[left - 1], loops[random() % left]);
      zz::Value mapping;
      try {
        mapping = allocate(ctx, zz::make_list(loops));
      } catch (const zz::Error& problem) {
        if (problem.code != ZZ_E_NO_RESULT) throw;
        continue;  // some memory is too small for that order
      }
      ++fitted;
      for (zz::Result& result : substage(zz::with(ctx, {{"temporal_mapping", mapping}}))) {
        best = std::min(best, result.evaluation["latency_total2"].num());
        co_yield std::move(result);
      }
    }
    const std::string_view layer = ctx["layer.name"].str();
    const zz::Value columns = zz::make(nullptr, zz::list({"orders tried", "fit", "best latency [cycles]"}));
    const zz::Value row = zz::make(nullptr, zz::list({orders, fitted, best}));
    report("loop orders of " + std::string(layer), columns, zz::make_list({{row}}));
    if (fitted == 0) throw zz::Error(ZZ_E_NO_RESULT, "none of the orders fits into the memories");
  }
};

ZZ_PLUGIN("org.example.order_search", RandomOrderStage)
