// A mapper that breaks rule D1: where a reducer keeps one result it hands up its first, whatever comes
// after it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "zz/stage.hpp"

namespace {

struct HastyStage : zz::Stage {
  static constexpr zz::Description description{.id = "org.test.HastyStage",
                                               .name = "HastyStage",
                                               .summary = "hands up what comes first",
                                               .flags = ZZ_STAGE_DETERMINISTIC};
  static constexpr zz::Port consumes[] = {
      zz::object("layer", "layer", "its loops"),
      zz::object("accelerator", "accelerator", "has the memories"),
      zz::object("spatial_mapping", "spatial_mapping", "what is unrolled")};
  static constexpr zz::Port provides[] = {zz::object("temporal_mapping", "temporal_mapping", "an order")};

  static std::vector<zz::Value> loops_of(const zz::Value& ctx) {
    std::vector<zz::Value> loops;
    for (zz::Ref loop : ctx["layer.loops"]) {
      double unrolled = 1;
      for (zz::Ref level : ctx["spatial_mapping.operands[0].levels"])
        for (zz::Ref part : level)
          if (part["dimension"].str() == loop["name"].str()) unrolled *= part["factor"].num();
      const auto left = static_cast<int64_t>(std::ceil(loop["size"].num() / unrolled - 1e-9));
      if (left > 1) loops.push_back(zz::make({{"dimension", loop["name"].str()}, {"size", left}}));
    }
    return loops;
  }

  zz::Results run(zz::Value ctx) {
    std::vector<zz::Value> loops = loops_of(ctx);
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (i > 0 && demanded().keep > 0) break;
      std::rotate(loops.begin(), loops.begin() + 1, loops.end());
      const zz::Value mapping = allocate(ctx, zz::make_list(loops));
      for (zz::Result& result : substage(zz::with(ctx, {{"temporal_mapping", mapping}})))
        co_yield std::move(result);
    }
  }
};

}  // namespace

ZZ_PLUGIN("org.test.hasty", HastyStage)
