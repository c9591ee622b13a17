#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/multicore/search/schedule_search.hpp"
#include "plugins/internal/partition_bounds.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Searches for the cuts of all layers, with allocation and order, and hands the best ones down.
class SearchHintLoopsStage : public Stage, public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.SearchHintLoopsStage",
      .name = "SearchHintLoopsStage",
      .summary = "searches for the cuts of all layers together with allocation and order",
      .doc =
          R"(Stands where DetermineHintLoopsStage would, and searches for what a user would otherwise have to guess: into which loops
each layer is cut (`hint_loops`), which core runs what, and in which order. Cuts that are the same for all layers come first, and `start`
where it is given; then several walks change cuts, cores and order (simulated annealing). The result is never worse than the best of the
first part. The stages below run once, for the winner, and find again what the search found.

Every loop of a layer may be cut, alone or in pairs; `cut_dimensions` names those that may. `most_nodes` bounds the computation nodes of the
network: more of them find better schedules, and each schedule takes longer. What nodes cost on the cores is asked of `stages`, as
IntraCoreMappingStage does it: give both the same, best among the `parameters`.

The search ends after `evaluation_limit` schedules or `time_limit` seconds, whichever comes first. Interrupted, it hands down the best that
it has; a second interrupt ends the run. The same `seed` gives the same result on any number of threads, unless time ends the search.

With `dump_folder` the file `hint_loops.yaml` in it has the parameters that give the same result without a search; named as `start`, it is
where another search begins. docs/cuts.md tells how to read a result.

Every graph that is handed down has been checked against the network by code that shares nothing with what made it.
Each result says how far it can be from the best: `partition_lower_bound` is below every choice of cuts that competed, of cores and of order,
and `partition_gap` is by how much the result is above it.

`compat: stream-0.0.8` is refused: a search would find the quirks of its rules.

```yaml
parameters: {workload: resnet18.onnx, accelerator: quad_core.yaml, mapping: quad_core.yaml, loma_lpf_limit: 6}
stages:
  - AcceleratorParserStage
  - StreamONNXModelParserStage
  - SearchHintLoopsStage: {objective: edp, evaluation_limit: 10000}
  - GenerateCNWorkloadHybridStage
  - IntraCoreMappingStage
  - InterCoreMappingStage
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string objective = "latency";
  Value start;
  std::vector<std::string> cut_dimensions;
  int64_t most_nodes = 1000;
  int64_t evaluation_limit = 20'000;
  double time_limit = 0;
  int64_t seed = 0;
  bool all_results = false;
  Chain stages{
      "[MinimalLatencyStage, SpatialMappingGeneratorStage, MinimalLatencyStage, LomaStage, "
      "CostModelStage]"};
  std::optional<std::string> node_hw_performances_path;
  std::string dump_folder;
  static constexpr auto params = zz::params(
      param<&SearchHintLoopsStage::objective>(
          "objective", "what is made as small as possible; edp: energy times latency")
          .allowed("latency|energy|edp"),
      param<&SearchHintLoopsStage::start>("start",
                                          "hint loops to begin with, as {\"0,1\": [[OY, all]], ...} or "
                                          "[[OY, 4], [K, 4]] for all layers, or "
                                          "the path of a `hint_loops.yaml` that an earlier search wrote"),
      param<&SearchHintLoopsStage::cut_dimensions>("cut_dimensions",
                                                   "loops that may be cut, as [OY, K]; empty: all"),
      param<&SearchHintLoopsStage::most_nodes>("most_nodes",
                                               "most computation nodes that the network is cut into")
          .unit("nodes")
          .allowed("[1, 100000]"),
      param<&SearchHintLoopsStage::evaluation_limit>(
          "evaluation_limit", "most steps of the search, nearly each of which makes a schedule")
          .unit("schedules")
          .allowed("[1, 1000000000]"),
      param<&SearchHintLoopsStage::time_limit>("time_limit",
                                               "how long the search may take; 0: until `evaluation_limit`. "
                                               "Results may then vary from run to run")
          .unit("s")
          .allowed("[0, inf]"),
      param<&SearchHintLoopsStage::seed>("seed", "start of the random numbers; other seeds, other results")
          .allowed("[0, inf]"),
      param<&SearchHintLoopsStage::all_results>(
          "all_results",
          "runs the stages below for every result that no other one beats in both latency and energy, by "
          "ascending energy, instead of the best by `objective`"),
      param<&SearchHintLoopsStage::stages>("stages", "the pipeline that maps one node on one core"),
      param<&SearchHintLoopsStage::node_hw_performances_path>(
          "node_hw_performances_path", "file in which the costs are kept from run to run; none if empty")
          .alias("cost_lut_path"),
      param<&SearchHintLoopsStage::dump_folder>(
          "dump_folder", "the folder for `hint_loops.yaml`; without one, it is not written"),
      compat_setting);
  static constexpr Port consumes[] = {
      zz::object("workload", "workload", "the network"),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "the cores and the off-chip memory")};
  static constexpr Port provides[] = {
      zz::port("hint_loops", ZZ_MAP, "loops to cut, by layer ids"),
      zz::port("cn_define_mode", ZZ_I64, "3"),
      zz::port("core_allocation", ZZ_LIST, "the core of each gene"),
      zz::port("scheduler_candidate_selection", ZZ_STR, "which node is next"),
      zz::port("critical_path_weight", ZZ_F64, "of `critical_path`"),
      zz::port("back_filling", ZZ_BOOL, "whether nodes may use gaps"),
      zz::port("layer_ranks", ZZ_NULL, "offset and slope of the rank of each layer, or null"),
      zz::port("search_order", ZZ_BOOL, "false: the order has been searched"),
      zz::object("layer", "layer", "in `stages`: the node that is mapped"),
      zz::object("accelerator", "accelerator", "in `stages`: the core that it is mapped on")};
  static constexpr Metric metrics[] = {
      metric("partition_lower_bound",
             "what no choice from the cuts that competed can be below, of the `objective`")
          .not_summed(),
      metric("partition_gap", "by which fraction of the bound the result may be too high")
          .not_summed()
          .column(),
      metric(partition_bounds::latency, "what no choice from these cuts can be below in latency")
          .unit("cycles")
          .not_summed(),
      metric(partition_bounds::energy, "the same of the energy").unit("pJ").not_summed(),
      metric(partition_bounds::edp, "the same of energy times latency").unit("pJ cycles").not_summed(),
      metric("partition_evaluations", "schedules that the search over cuts made").not_summed(),
      metric("partition_menu", "cuts that competed, of all layers together").not_summed()};

  void prepare();
  Results run(Value ctx);

 private:
  core::ScheduleSearchResult searched(
      const Value& ctx, const core::Workload& workload,
      const std::shared_ptr<const core::MultiCoreAccelerator>& accelerator) const;
  /// Reads `start` into the options.
  void read_start(const core::Workload& workload, core::ScheduleSearchOptions& options) const;
  void tell(const core::ScheduleSearchResult& result) const;
  /// Throws Error(ZZ_E_INTERNAL) for a graph that is not the network's.
  void check(const core::FoundSchedule& found, const core::Workload& workload) const;
  /// The settings of the stages below that make the schedule again.
  Value handed_down(const Value& ctx, const core::FoundSchedule& found) const;
};

}  // namespace zz::plugins
