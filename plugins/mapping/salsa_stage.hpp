#pragma once
#include <cstdint>
#include <string>

#include "core/search/methods/objective.hpp"
#include "core/search/salsa/salsa.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Opens the chain below for the best temporal mapping that simulated annealing finds.
class SalsaStage : public Stage, public CompatSetting, public MappingTypeSetting, public TimeLimitSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.SalsaStage",
      .name = "SalsaStage",
      .summary = "finds a good order of a layer's temporal loops by simulated annealing (SALSA)",
      .doc =
          R"(Splits the loops that the unrolling leaves for time into all their prime factors and starts with a random order
of them. Each of `salsa_iteration_number` steps swaps two loops, allocates the new order to the memories like LomaStage does, and
takes it when it is better, or, with a probability that falls with the temperature, when it is worse. Orders that do not fit into the
memories are never taken. Use it where LomaStage has too many orders to try all. The chain below is opened once, with the
best `temporal_mapping` of all restarts.

What is minimised is, unless `salsa_opt_criterion` says otherwise, what the reducer above keeps (MinimalLatencyStage: the
latency), or the energy where nothing above reduces. A step is scored by the chain below, so by CostModelStage or whichever cost
model stands there; where that cannot be scored, by ZigZag's model.

The same `seed` gives the same result on any number of threads and on every machine. Raise `salsa_restarts` for
better results: the restarts are independent, share the pool of `zz-host --jobs`, and the best one counts. A `temporal_ordering` of the
mapping file is kept: a complete one is the result, an incomplete one holds in every step. What stages above limit is
kept likewise.

A layer that needs more than `time_limit`, on each of the threads that share its restarts, gets the best mapping found until then, and a
warning says so. Only then can results differ between machines.

With `compat`, as ZigZag 3.8.5: the criterion is the energy unless it is set, the latency is that without loading and
off-loading, whole unrollings are not told from fractional ones, and orderings of the mapping file count for nothing. ZigZag's
random numbers cannot be repeated; its results agree statistically.

Yields (evaluation, [temporal mapping, extra]) for each result from below.

```yaml
  - MinimalLatencyStage
  - SalsaStage: {salsa_iteration_number: 2000, salsa_restarts: 4, seed: 7}
  - CostModelStage
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  int64_t salsa_iteration_number = 1000;
  double salsa_start_temperature = 0.05;
  std::string salsa_opt_criterion;
  int64_t salsa_restarts = 1;
  int64_t seed = 1;
  int64_t threads = 0;
  int64_t loma_lpf_limit = 0;
  static constexpr auto params = zz::params(
      param<&SalsaStage::salsa_iteration_number>("salsa_iteration_number", "how many swaps are proposed")
          .unit("swaps")
          .allowed("[1, inf]"),
      param<&SalsaStage::salsa_start_temperature>(
          "salsa_start_temperature",
          "how readily worse orders are taken at first; falls by 0.5 % a swap. 0: never")
          .allowed("[0, inf]"),
      param<&SalsaStage::salsa_opt_criterion>(
          "salsa_opt_criterion", "what is minimised; empty: what the reducer above keeps, else the energy")
          .allowed("|energy|latency|EDP"),
      param<&SalsaStage::salsa_restarts>("salsa_restarts",
                                         "how often each layer is annealed anew, from another random order")
          .unit("times")
          .allowed("[1, 65536]")
          .alias("salsa_number_of_core"),
      param<&SalsaStage::seed>("seed", "start of the random numbers; other seeds, other orders")
          .allowed("[0, inf]"),
      param<&SalsaStage::threads>(
          "threads",
          "how many restarts may be made at once; 0: as many as the host has threads. "
          "Never changes results")
          .allowed("[0, 1024]"),
      time_limit_setting, mapping_type_setting,
      param<&SalsaStage::loma_lpf_limit>(
          "loma_lpf_limit", "known for the sake of old pipelines; without effect, as in ZigZag")
          .deprecated(),
      compat_setting);
  static constexpr Port consumes[] = {
      zz::object("accelerator", "accelerator", "its memories hold the loops"),
      zz::object("layer", "layer", "the layer to map"),
      zz::object("spatial_mapping", "spatial_mapping",
                 "the unrolling with fractional factors; what it leaves is ordered in time"),
      zz::object("spatial_mapping_int", "spatial_mapping",
                 "the unrolling with whole factors, for the cost")};
  static constexpr Port provides[] = {zz::object("temporal_mapping", "temporal_mapping",
                                                 "the best order that was found, with its allocation")};

  Results run(Value ctx);

 private:
  core::Objective criterion() const;
  core::MappingCost cost(const Value& ctx, const core::Salsa& annealing) const;
  core::MappingCost zigzag_cost(const Value& ctx) const;
  /// ZigZag's annealing of the layer would take other steps.
  bool anneals_otherwise(const core::Layer& layer, const core::SpatialMapping& unrolled) const;
  core::Salsa::Outcome best_outcome(const Value& ctx, const core::Salsa& annealing) const;
};

}  // namespace zz::plugins
