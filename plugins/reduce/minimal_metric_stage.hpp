#pragma once
#include <string>

#include "plugins/reduce/best_result.hpp"

namespace zz::plugins {

/// Keeps the result with the lowest value of a figure that is given by its name.
class MinimalMetricStage : public BestResultStage {
 public:
  static constexpr Description description{
      .id = "org.zz.MinimalMetricStage",
      .name = "MinimalMetricStage",
      .summary = "keeps the result that is lowest in any one figure, by its name",
      .doc =
          R"(Runs the chain below to its end and yields one result: the evaluation with the lowest `metric`, which is the name
of any figure of evaluations, such as `latency_total1` or `mem_energy`, or of one that a stage below adds. Among equals
the first that came counts. A result without that figure ends the run.
With `reduce_minimal_keep_others` the extra is the list of all [evaluation, extra] that came up, the best one
among them; without it, an empty list. When nothing comes up there is no result, and the run fails naming the layer.

The stage tells the chain below what it keeps, so a mapper may leave out what provably cannot win; where a stage
between them writes the figure, nothing is left out.

```yaml
stages: [..., WorkloadStage, MinimalMetricStage: {metric: carbon}, CarbonStage, SpatialMappingGeneratorStage, ...]
```)",
      .flags = ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string metric;
  static constexpr auto params = zz::params(
      param<&MinimalMetricStage::metric>("metric", "the name of the figure").required(), keep_others);

  void prepare() { name_ = Name(metric); }
  Result run(const Value& ctx) { return best_result(ctx, {&name_, 1}); }
  zz_demand demand() const { return demand_for({&name_, 1}); }

 private:
  Name name_;
};

}  // namespace zz::plugins
