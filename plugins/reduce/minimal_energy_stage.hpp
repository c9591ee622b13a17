#pragma once
#include "plugins/reduce/best_result.hpp"

namespace zz::plugins {

/// Keeps the result with the lowest energy.
class MinimalEnergyStage : public BestResultStage {
 public:
  static constexpr Description description{
      .id = "org.zz.MinimalEnergyStage",
      .name = "MinimalEnergyStage",
      .summary = "keeps the result with the lowest energy",
      .doc =
          R"(Runs the chain below to its end and yields one result: the evaluation with the lowest energy.
Among equal energies the lower latency counts, among equals in both the first that came.
With `reduce_minimal_keep_others` the extra is the list of all [evaluation, extra] that came up, the best one
among them; without it, an empty list. When nothing comes up there is no result, and the run fails naming the layer.

The stage tells the chain below what it keeps, so a mapper may leave out what provably cannot win.

```yaml
stages: [..., WorkloadStage, MinimalEnergyStage, SpatialMappingGeneratorStage, MinimalEnergyStage, LomaStage, CostModelStage]
```)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params = zz::params(keep_others);

  Result run(const Value& ctx) { return best_result(ctx, criteria()); }
  zz_demand demand() const { return demand_for(criteria()); }

 private:
  static std::vector<Name> criteria() { return {"energy_total"_n, "latency_total2"_n}; }
};

}  // namespace zz::plugins
