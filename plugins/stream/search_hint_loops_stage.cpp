#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/cost/rates.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/input/stream/hint_text.hpp"
#include "core/multicore/check/violations.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "core/search/methods/objective.hpp"
#include "plugins/internal/first_answers.hpp"
#include "plugins/internal/for_core.hpp"
#include "plugins/internal/network_metrics.hpp"
#include "plugins/internal/network_room.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/internal/stored_answers.hpp"
#include "plugins/stream/core_cost_answers.hpp"
#include "plugins/stream/found_hints_file.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {
namespace {

/// Searches for the cuts of all layers, with allocation and order, and hands the best ones down.
class SearchHintLoopsStage : public Stage,
                             public CapacitySetting,
                             public CompatSetting,
                             public StoreSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.SearchHintLoopsStage",
      .name = "SearchHintLoopsStage",
      .summary = "searches for the cuts of all layers together with allocation and order",
      .doc =
          R"(Stands where DetermineHintLoopsStage would, and searches for what a user would otherwise have to guess: the cut of each
layer (`hint_loops`), the core of each piece, and the order. Cuts that are the same for all layers come first, and
`start` where it is given; where steps are few, also whole layers, each on the best of its cores if these are unlike.
Then several walks change cuts, cores and order (simulated annealing). The result is never worse than the best of the
first part. The stages below run once, for the winner, and find again what the search found.

Every loop of a layer may be cut, alone or in pairs; `cut_dimensions` restricts the choice. `most_nodes` bounds the
pieces of the network: with more of them better schedules are found, and each schedule takes longer. Without it it
follows from layers and samples. Where it keeps cuts out of the competition, the log says how many. The chain `stages`
tells what a piece costs on a core, as in IntraCoreMappingStage: give both the same, best among the `parameters`.

Where no core can hold the weights of a layer that has many rows, the search also begins with rows in lockstep: each
core has a share of the rows of every layer that has so many, and each slice of their weights goes to all cores in one
transfer. With several samples, or with `cut_dimensions`, it does not.

Where that chain proves mappings (OptimalMappingStage), thousands of pieces would need a proof each. The search then
begins with first answers: of each piece a mapping that is found quickly, and floors of time and energy that none is
below. The proofs follow for what is needed: the schedules that no other one beats, and those that the walks have come
to, several times in a search. What is handed down is made of proven pieces alone. Of a piece without a proof the bounds
count the floors, so that they may be lower than with all proofs, and are true. With `objective: energy` all pieces are
proven at once: that takes about as long. So they are where another stage than reducers, ComponentCostStage and
CostModelStage is in the chain: floors of one mapping are none where several are tried, or figures changed.

The search ends after `evaluation_limit` schedules or `time_limit` seconds, whichever comes first. The seconds are those
of a clock on the wall, and the costs of cuts take theirs from them; the parts of the search share what is left. One
schedule comes before all of this, of whole layers or of `start`, with a quarter of a second more. Where it has used up
the time it is the result, and a warning says so; where even its costs take longer, there is none. Interrupted, the
search hands down the best that it has; a second interrupt ends the run. The exit code and the pages then say that the
run was interrupted. The same `seed` gives the same result on any number of threads, unless time ends the search.

With `samples: N` the network is that of one sample and runs N times, with constants that are shared. Each sample has
pieces of its own, so that the search may have any number of samples in flight. It begins with the search for one
sample, as it is without a batch but for rows in lockstep and `start`: N of its steps count as one, and it has a fifth
of `time_limit`. The schedules that it finds are repeated, one sample after the other: there a batch begins. Then
walks also change how many samples are in flight at once, which cores the pieces of the next sample take, and which
layers fetch their constants for several cores. Another start is plans of segments: layers through which all samples go
before the first one goes on, so that their constants stay, each layer on a grid over all equal cores. Results gain
`latency_first`, when the first sample is done, and `cycles_per_sample`, with their bounds. A batch loop that the
network has of its own is not cut.

`objective: throughput` is for a network that is served continuously: the schedule of all `samples` begins again every
period, with the next samples, while the one before still runs, and what is made small is the period, so that
`cycles_per_sample` is the period over the samples. Repeats never meet on a core or link or in a memory; the schedule
that is handed down is unrolled and checked. With `resident`
constants of some layers stay on their cores from one repeat to the next. The search chooses the layers. They have room
there at all times, and no repeat fetches them; what fetches them once, before the first repeat, is told as
`first_fill`. The bound then says what no period can be below: the work of the cores, and what has to cross a link in
each repeat, less the constants that the memories can keep.

With a `store` the costs of pieces are found again by all runs that name it (docs/stores.md): the same search takes the
time of its schedules alone.

With `dump_folder` the file `hint_loops.yaml` in it has the parameters that give the same result without a search; named
as `start`, it is where another search begins. With `all_results` there is a file for each result, in their order:
`hint_loops.yaml`, `hint_loops_2.yaml`, ... docs/cuts.md tells how to read a result.

Every graph that is handed down has been checked against the network by code that shares nothing with what made it. Each
result says how far it can be from the best: `partition_lower_bound` is below every choice from the cut menus, of cores
and of order, and `partition_gap` is by how much the result is above it. Bounds, search and gap are of nodes that
exchange nothing inside of their cores: `inner_fusion` of IntraCoreMappingStage comes on top, and may lead below.

`compat: stream-0.0.8` is refused: a search would find the quirks of its rules. So is a network that the memory off the
chip cannot hold, unless `ignore_capacity` is set.

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
  int64_t samples = 1;
  bool resident = false;
  std::optional<int64_t> most_nodes;
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
      param<&SearchHintLoopsStage::objective>("objective",
                                              "what is made as small as possible; edp: energy times "
                                              "latency; throughput: cycles of a sample in the "
                                              "steady state")
          .allowed("energy|latency|edp|throughput"),
      param<&SearchHintLoopsStage::start>("start",
                                          "hint loops to begin with, as {\"0,1\": [[OY, all]], ...} or "
                                          "[[OY, 4], [K, 4]] for all layers, or "
                                          "the path of a `hint_loops.yaml` that an earlier search wrote"),
      param<&SearchHintLoopsStage::cut_dimensions>("cut_dimensions",
                                                   "loops that may be cut, as [OY, K]; empty: all"),
      param<&SearchHintLoopsStage::samples>("samples",
                                            "how often the network, which is then that of one sample, runs "
                                            "with the same constants; samples may "
                                            "be in flight together")
          .allowed("[1, 100000]"),
      param<&SearchHintLoopsStage::resident>(
          "resident",
          "with `objective: throughput`: constants may stay on their cores from one repeat to the next"),
      param<&SearchHintLoopsStage::most_nodes>(
          "most_nodes",
          "most computation nodes that the network is cut into, those of all samples together; by default "
          "1000, or eight for each layer and sample where that is more, three times that for rows in "
          "lockstep, and what the best schedule of one sample takes when it is repeated")
          .unit("nodes")
          .allowed("[1, 1000000]"),
      param<&SearchHintLoopsStage::evaluation_limit>(
          "evaluation_limit",
          "most steps of the search, nearly each of which makes a schedule; with N samples N steps of the "
          "search for one of them count as one")
          .unit("schedules")
          .allowed("[1, 1000000000]"),
      param<&SearchHintLoopsStage::time_limit>("time_limit",
                                               "how long the search may take, with the costs of the "
                                               "cuts; 0: until `evaluation_limit`. "
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
      capacity_setting, compat_setting, store_setting);
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
      zz::port("samples", ZZ_I64, "how often the network runs"),
      zz::port("samples_at_once", ZZ_I64, "how many samples are in flight at once; 0: all"),
      zz::port("segments", ZZ_NULL, "layers at which segments of a batch begin, where there are several"),
      zz::port("period", ZZ_NULL, "cycles from repeat to repeat, in the steady state"),
      zz::port("resident", ZZ_NULL, "layers whose constants then stay"),
      zz::port("search_order", ZZ_BOOL, "false: the order has been searched"),
      zz::object("layer", "layer", "in `stages`: the node that is mapped"),
      zz::object("accelerator", "accelerator", "in `stages`: the core that it is mapped on"),
      zz::port(first_answers::asked, ZZ_BOOL, "in `stages`: a mapping that is found quickly will do")};
  static constexpr Metric metrics[] = {
      metric("partition_lower_bound",
             "what no choice from the cuts that competed can be below, of the `objective`")
          .not_summed(),
      metric("partition_gap", "by which fraction of the bound the result may be too high").not_summed(),
      metric(partition_bounds::latency,
             "what no choice from these cuts can be below in latency; with `throughput` in the period")
          .unit("cycles")
          .not_summed(),
      metric(partition_bounds::energy, "the same of the energy").unit("pJ").not_summed(),
      metric(partition_bounds::edp, "the same of energy times latency, or period")
          .unit("pJ cycles")
          .not_summed(),
      metric(batch_figures::first_bound, "with several samples: what latency_first cannot be below")
          .unit("cycles")
          .not_summed(),
      metric(batch_figures::per_sample_bound, "the same of cycles_per_sample").unit("cycles").not_summed(),
      metric("partition_evaluations", "schedules that the search over cuts made").not_summed(),
      metric("partition_menu", "cuts that competed, of all layers together").not_summed()};

  void prepare();
  void check(Value ctx) const;
  Results run(Value ctx);

 private:
  bool steady_state() const { return objective == "throughput"; }
  /// The objective by the figures of the search: its latency is the period in the steady state.
  core::Objective wanted() const {
    return steady_state() ? core::Objective::latency : *core::objective_of_word(objective);
  }
  core::ScheduleSearchResult searched(
      const Value& ctx, const core::Workload& workload,
      const std::shared_ptr<const core::MultiCoreAccelerator>& accelerator) const;
  /// The options of the cuts.
  core::ScheduleSearchOptions cuts(const core::Workload& workload) const;
  /// Reads `start` into the options.
  void read_start(const core::Workload& workload, core::ScheduleSearchOptions& options) const;
  void tell(const core::ScheduleSearchResult& result) const;
  /// Writes the next of the files `hint_loops.yaml`, `hint_loops_2.yaml`, ...
  void write_hints(const core::FoundSchedule& found);
  /// Throws Error(ZZ_E_INTERNAL) for a graph that is not the network's.
  void check_found(const core::FoundSchedule& found, const core::Workload& workload) const;
  /// The settings of the stages below that make the schedule again.
  Value handed_down(const Value& ctx, const core::FoundSchedule& found) const;

  std::atomic<int> hint_files_{0};
};

/// The steps of the search, with the best figure so far as a part of the label.
class BestSoFar {
 public:
  BestSoFar(const Stage& stage, std::string objective, uint64_t total)
      : stage_(stage), objective_(std::move(objective)), total_(total) {}

  void show(std::int64_t steps, double best, double bound) {
    // The first schedules are made whatever the limit is.
    const uint64_t now = std::min(static_cast<uint64_t>(steps), total_);
    if (!display_ || best != shown_) {
      display_.reset();
      display_.emplace(stage_.place(),
                       fmt::format("schedules, best {} {:.5g}, at most {:.0f} % above the least",
                                   objective_, best, 100 * (best / bound - 1)),
                       total_);
      display_->advance(now);
      shown_ = best;
    } else {
      display_->advance(now - at_);
    }
    at_ = now;
  }

 private:
  const Stage& stage_;
  std::string objective_;
  uint64_t total_, at_ = 0;
  double shown_ = 0;
  std::optional<Progress> display_;
};

void SearchHintLoopsStage::prepare() {
  if (resident && !steady_state())
    throw Error(
        ZZ_E_INVALID,
        fmt::format("'resident' lets constants stay from one repeat of the network to the next, but "
                    "with `objective: {}` it runs once; give `objective: throughput`, or leave out "
                    "'resident'",
                    objective));
  if (compat.empty()) return;
  throw Error(
      ZZ_E_INVALID,
      fmt::format("cuts are searched by the rules of zz only, because a search would find the defects "
                  "that `compat: {}` keeps; leave out 'compat', or give 'hint_loops' instead of this "
                  "stage",
                  compat));
}

void SearchHintLoopsStage::read_start(const core::Workload& workload,
                                      core::ScheduleSearchOptions& options) const {
  if (start.is_null()) return;
  Value file;  // lives as long as what reads it
  Ref given = start;
  if (given.kind() == ZZ_STR) {
    file = read_yaml(given.str());
    given = Ref(file)["parameters"]["hint_loops"];
    if (given.is_null())
      throw Error(ZZ_E_INVALID, fmt::format("'start': '{}' has no 'hint_loops' among its 'parameters'",
                                            Ref(start).str()));
    options.start_choice = [file](const core::ScheduleProblem& problem) {
      return choice_of(to_core(Ref(file)["parameters"]), problem);
    };
  }
  const core::HintLoopsSetting hints = core::read_hint_loops(to_core(given));
  options.start =
      hints.by_layer ? hints.cut_entries : std::vector<core::CutEntry>{{workload.node_order, hints.loops}};
}

core::ScheduleSearchOptions SearchHintLoopsStage::cuts(const core::Workload& workload) const {
  core::ScheduleSearchOptions options;
  read_start(workload, options);
  options.dimensions = cut_dimensions;
  options.samples = static_cast<int>(samples);
  options.steady_state = steady_state();
  options.resident = resident;
  options.most_nodes = static_cast<int>(most_nodes.value_or(0));
  return options;
}

core::ScheduleSearchResult SearchHintLoopsStage::searched(
    const Value& ctx, const core::Workload& workload,
    const std::shared_ptr<const core::MultiCoreAccelerator>& accelerator) const {
  BestSoFar display(*this, steady_state() ? "period" : objective, static_cast<uint64_t>(evaluation_limit));
  core::ScheduleSearchOptions options = cuts(workload);
  options.objective = wanted();
  options.evaluation_limit = evaluation_limit;
  options.time_limit = time_limit;
  options.seed = static_cast<std::uint64_t>(seed);
  options.on_progress = [&display](std::int64_t steps, double best, double bound) {
    display.show(steps, best, bound);
  };
  options.on_interruption = [this] {
    internal_tier().take_interruption();
    log(Level::warning,
        "interrupted: the best that was found until now is handed down; a second interrupt ends the run");
  };

  CoreCostAnswers chain(*this, stages, ctx, node_hw_performances_path, store);
  const auto answer = [&](const std::vector<core::CoreCostQuestion>& questions,
                          std::vector<std::string>& reasons) {
    return told_to_core([&] { return chain.to(questions, reasons, false); });
  };
  // The least energy is proven in about the time of a first answer.
  if (chain.has_first() && options.objective != core::Objective::energy)
    options.first_answers = [&](const std::vector<core::CoreCostQuestion>& questions) {
      return told_to_core([&] { return chain.first_to(questions); });
    };
  try {
    core::ScheduleSearchResult result =
        core::search_schedules(workload, accelerator, options, answer, parallel_for());
    chain.write();
    return result;
  } catch (...) {
    // Another search, with more time, need not ask again.
    chain.write();
    throw;
  }
}

void SearchHintLoopsStage::tell(const core::ScheduleSearchResult& result) const {
  if (result.only_first_cuts)
    log(Level::warning, fmt::format("the search ended before the costs of other cuts were known: handed "
                                    "down the cuts of {}, and the "
                                    "bounds are of these alone; more 'time_limit' lets others compete",
                                    start.is_null() ? "whole layers" : "'start'"));
  count("schedules evaluated", static_cast<uint64_t>(result.schedules));
  const std::string figure = steady_state() ? "period" : objective;
  const core::LimitedFigure& bound = result.bounds.of(wanted());
  const double value = core::value_of(wanted(), result.best.energy, result.best.latency);
  log(Level::info,
      fmt::format(
          "{} schedules of {} steps{}, among {} cuts: {} {:.0f} cycles, energy {:.5g} pJ, {} nodes; "
          "the best of the cuts that are the same for all layers has {} {:.6g}{}",
          result.schedules, result.steps.all(),
          samples > 1 ? fmt::format(" ({} of these with one sample, {} of which count as one)",
                                    result.steps_of_one, samples)
                      : std::string(),
          result.cuts, steady_state() ? "period" : "latency", result.best.latency, result.best.energy,
          result.best.problem->graph()->nodes.size(), figure, result.best_uniform,
          result.uniform_of_first ? ", as far as first answers tell" : ""));
  log(Level::info,
      fmt::format("no choice from these cuts has {} below {:.6g} ({}: {}); the gap is {:.1f} %", figure,
                  bound.value, bound.limit, bound.why, 100 * (value / bound.value - 1)));
  if (resident && result.best.choice.resident.empty())
    log(Level::info, "no constants stay from repeat to repeat in the best of what was tried");
  if (samples > 1 && !result.only_first_cuts)
    log(Level::info,
        result.plans > 0
            ? fmt::format("{} plans of segments are among the starts", result.plans)
            : "no plan of segments is among the starts: that takes at least two equal cores, which are all "
              "candidates of some layers, layers in the order of their data, and grids within "
              "'most_nodes'");
  else if (result.plans > 0)
    log(Level::info,
        fmt::format("{} starts have rows in lockstep{}", result.plans,
                    most_nodes == 0 ? ", with up to three times as many nodes as others" : ""));
  if (result.cuts_left_out > 0)
    log(Level::info,
        fmt::format(
            "'most_nodes', {}, keeps {} further cuts{} out: those into more than {} pieces of a layer; "
            "no bound and no gap is about these",
            result.most_nodes, result.cuts_left_out, samples > 1 ? " of one sample" : "",
            result.most_pieces));
}

void SearchHintLoopsStage::check_found(const core::FoundSchedule& found,
                                       const core::Workload& workload) const {
  constexpr std::size_t most = 3;
  const auto violations = core::find_partition_violations(workload, *found.problem->graph(), most);
  if (violations.empty()) return;
  std::string text = "the search cut the network into a graph that is wrong:";
  for (const core::Violation& violation : violations)
    text += fmt::format("\n  {}: {}", violation.rule, violation.what);
  throw Error(ZZ_E_INTERNAL, text);
}

void SearchHintLoopsStage::write_hints(const core::FoundSchedule& found) {
  if (dump_folder.empty()) return;
  const int number = ++hint_files_;
  const std::string name = number == 1 ? "hint_loops.yaml" : fmt::format("hint_loops_{}.yaml", number);
  output((std::filesystem::path(dump_folder) / name).string(),
         found_hints_yaml(found,
                          fmt::format("{} {:.0f} cycles, energy {:.6g} pJ{}; for the parameters "
                                      "of a pipeline without SearchHintLoopsStage",
                                      steady_state() ? "period" : "latency", found.latency, found.energy,
                                      note_of_interruption().empty() ? "" : ", when it was interrupted")));
}

Value SearchHintLoopsStage::handed_down(const Value& ctx, const core::FoundSchedule& found) const {
  Value below = ctx;
  for (const auto& [key, value] : settings_of(found))
    below = with(below, {{Name(key.c_str()), from_core(value)}});
  return below;
}

/// Neither the search nor, for each cut, the stages below would go on.
void SearchHintLoopsStage::check(Value ctx) const {
  const auto accelerator =
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
  const auto workload = with_scales_of_cores(*this, object<core::Workload>(ctx, "workload"_n, "workload"),
                                             *accelerator, no_scales_with(compat), false);
  check_store();
  core::check_core_allocation(*workload, *accelerator, rules());
  core::check_cuts(*workload, cuts(*workload));
  if (resident) core::check_resident(*workload, *accelerator);
  if (!ignore_capacity && compat.empty())
    check_room_off_chip(*this, *workload, *accelerator, rules(), Capacity::refuse);
}

Results SearchHintLoopsStage::run(Value ctx) {
  check(ctx);
  const auto accelerator =
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
  const auto workload = with_scales_of_cores(*this, object<core::Workload>(ctx, "workload"_n, "workload"),
                                             *accelerator, no_scales_with(compat), false);
  core::check_costs_are_told(*accelerator);
  core::ScheduleSearchResult found = searched(ctx, *workload, accelerator);
  tell(found);
  if (!all_results) found.front = {found.best};
  for (const core::FoundSchedule& point : found.front) {
    check_found(point, *workload);
    write_hints(point);
    for (Result& result : substage(handed_down(ctx, point))) {
      const auto given = object_or_null<core::Evaluation>(result.evaluation);
      if (!given) {
        co_yield std::move(result);
        continue;
      }
      const double cycles = steady_state() ? metric_of(*given, core::period_metric) : given->latency_total2;
      if (cycles != point.latency)
        log(Level::warning,
            fmt::format(
                "the stages below make {:.0f} cycles of what takes {:.0f} in the search: give both the "
                "same `stages` and settings, best among `parameters`",
                cycles, point.latency));
      core::Evaluation extended = *given;
      const double bound = found.bounds.of(wanted()).value;
      // The bounds are of schedules whose nodes exchange nothing inside of their cores.
      const double energy = given->energy_total + metric_of(*given, inner_fusion::saved);
      extended.metrics.emplace_back("partition_lower_bound", bound);
      extended.metrics.emplace_back("partition_gap", core::value_of(wanted(), energy, cycles) / bound - 1);
      extended.metrics.emplace_back(partition_bounds::latency, found.bounds.latency.value);
      extended.metrics.emplace_back(partition_bounds::energy, found.bounds.energy.value);
      extended.metrics.emplace_back(partition_bounds::edp, found.bounds.edp.value);
      if (samples > 1 || steady_state()) {
        extended.metrics.emplace_back(batch_figures::first_bound, found.first_bound);
        extended.metrics.emplace_back(batch_figures::per_sample_bound,
                                      found.bounds.latency.value / static_cast<double>(samples));
      }
      extended.metrics.emplace_back("partition_evaluations", static_cast<double>(found.schedules));
      extended.metrics.emplace_back("partition_menu", static_cast<double>(found.cuts));
      co_yield Result(wrap(std::move(extended)), std::move(result.extra));
    }
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(SearchHintLoopsStage)

}  // namespace zz::plugins
