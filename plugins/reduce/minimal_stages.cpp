#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "plugins/internal/plugin.hpp"
#include "plugins/reduce/pairs.hpp"

namespace zz::plugins {
namespace {

/// The base of the reducers that keep one result: the smallest by the first criterion, among equals by the
/// next one, among equals in all of them the first that came.
class BestResultStage : public Stage {
 public:
  bool reduce_minimal_keep_others = false;

 protected:
  static constexpr auto reducer_flags =
      ZZ_STAGE_REDUCES | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN;
  static constexpr auto keep_others = param<&BestResultStage::reduce_minimal_keep_others>(
      "reduce_minimal_keep_others",
      "hand all results up in the extra, the best one among them, instead of an empty list");

  /// Runs the chain below and gives its best result. The extra is the list of all [evaluation, extra] with
  /// `reduce_minimal_keep_others`, else an empty list.
  ///
  /// Throws Error(ZZ_E_NO_RESULT) when nothing comes up, naming the layer where there is one.
  Result best_result(const Value& ctx, std::span<const Name> criteria) const;

  /// A reducer by the word of a figure, as zz_stage_makes has it.
  static Value least_by(const std::string& figure) {
    return make(nullptr, {{"makes", "least"}, {"by", figure}});
  }

  /// Tells the chain below that only the best result by `criteria` is needed, or that all are.
  zz_demand demand_for(std::span<const Name> criteria) const;
};

Result BestResultStage::best_result(const Value& ctx, std::span<const Name> criteria) const {
  Value best;
  std::vector<double> best_figures;
  std::vector<double> figures(criteria.size());
  std::vector<Value> others;
  for (Result& result : substage(ctx)) {
    for (std::size_t i = 0; i < criteria.size(); ++i) figures[i] = result.evaluation[criteria[i]].num();
    if (reduce_minimal_keep_others) others.push_back(pair_of(result));
    if (best && !std::lexicographical_compare(figures.begin(), figures.end(), best_figures.begin(),
                                              best_figures.end()))
      continue;
    best = std::move(result.evaluation);
    best_figures = figures;
  }
  if (!best) throw Error(ZZ_E_NO_RESULT, nothing_found(ctx));
  return Result(std::move(best), make_list(others));
}

zz_demand BestResultStage::demand_for(std::span<const Name> criteria) const {
  zz_demand demand{};
  demand.keep = reduce_minimal_keep_others ? 0 : 1;
  for (const Name name : criteria) demand.metric[demand.n++] = name.id();
  return demand;
}

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
stages: [..., WorkloadStage, MinimalEnergyStage, SpatialMappingGeneratorStage,
         MinimalEnergyStage, LomaStage, CostModelStage]
```)",
      .flags = reducer_flags};

  static constexpr auto params = zz::params(keep_others);

  Result run(const Value& ctx) { return best_result(ctx, criteria()); }
  zz_demand demand() const { return demand_for(criteria()); }
  Value makes() const { return least_by("energy"); }

 private:
  static std::vector<Name> criteria() { return {"energy_total"_n, "latency_total2"_n}; }
};

/// Keeps the result with the lowest latency.
class MinimalLatencyStage : public BestResultStage {
 public:
  static constexpr Description description{
      .id = "org.zz.MinimalLatencyStage",
      .name = "MinimalLatencyStage",
      .summary = "keeps the result with the lowest latency",
      .doc =
          R"(Runs the chain below to its end and yields one result: the evaluation with the lowest latency.
Among equal latencies the lower energy counts, among equals in both the first that came.
With `reduce_minimal_keep_others` the extra is the list of all [evaluation, extra] that came up, the best one
among them; without it, an empty list. When nothing comes up there is no result, and the run fails naming the layer.

The stage tells the chain below what it keeps, so a mapper may leave out what provably cannot win.

```yaml
stages: [..., WorkloadStage, MinimalLatencyStage, SpatialMappingGeneratorStage,
         MinimalLatencyStage, LomaStage, CostModelStage]
```)",
      .flags = reducer_flags};

  static constexpr auto params = zz::params(keep_others);

  Result run(const Value& ctx) { return best_result(ctx, criteria()); }
  zz_demand demand() const { return demand_for(criteria()); }
  Value makes() const { return least_by("latency"); }

 private:
  static std::vector<Name> criteria() { return {"latency_total2"_n, "energy_total"_n}; }
};

/// Keeps the result with the lowest product of energy and latency.
class MinimalEDPStage : public BestResultStage {
 public:
  static constexpr Description description{
      .id = "org.zz.MinimalEDPStage",
      .name = "MinimalEDPStage",
      .summary = "keeps the result with the lowest product of energy and latency",
      .doc =
          R"(Runs the chain below to its end and yields one result: the evaluation with the lowest product of energy and latency.
Among equal products the first that came counts.
With `reduce_minimal_keep_others` the extra is the list of all [evaluation, extra] that came up, the best one
among them; without it, an empty list. When nothing comes up there is no result, and the run fails naming the layer.

The stage tells the chain below what it keeps, so a mapper may leave out what provably cannot win.

```yaml
stages: [..., WorkloadStage, MinimalEDPStage, SpatialMappingGeneratorStage,
         MinimalEDPStage, LomaStage, CostModelStage]
```)",
      .flags = reducer_flags};

  static constexpr auto params = zz::params(keep_others);

  Result run(const Value& ctx) { return best_result(ctx, criteria()); }
  zz_demand demand() const { return demand_for(criteria()); }
  Value makes() const { return least_by("edp"); }

 private:
  static std::vector<Name> criteria() { return {"edp"_n}; }
};

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
stages: [..., WorkloadStage, MinimalMetricStage: {metric: energy_with_leakage},
         LeakageStage: {leakage_power: 4, cycle_time: 0.5}, SpatialMappingGeneratorStage, ...]
```)",
      .flags = reducer_flags};

  std::string metric;
  static constexpr auto params = zz::params(
      param<&MinimalMetricStage::metric>("metric", "the name of the figure").required(), keep_others);

  void prepare() { name_ = Name(metric); }
  Result run(const Value& ctx) { return best_result(ctx, {&name_, 1}); }
  zz_demand demand() const { return demand_for({&name_, 1}); }
  Value makes() const { return least_by(metric); }

 private:
  Name name_;
};

}  // namespace

ZZ_PLUGIN_STAGE(MinimalEnergyStage)
ZZ_PLUGIN_STAGE(MinimalLatencyStage)
ZZ_PLUGIN_STAGE(MinimalEDPStage)
ZZ_PLUGIN_STAGE(MinimalMetricStage)

}  // namespace zz::plugins
