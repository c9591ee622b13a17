#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/interruption.hpp"
#include "core/cost/rates.hpp"
#include "core/input/stream/schedule_settings.hpp"
#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/check/violations.hpp"
#include "core/multicore/schedule/exchanges.hpp"
#include "core/multicore/schedule/resident_figures.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/multicore/schedule/schedule_deviations.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "plugins/internal/for_core.hpp"
#include "plugins/internal/network_metrics.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/pictures/picture.hpp"
#include "plugins/pictures/schedule_pictures.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {
namespace {

/// The leaf of a pipeline for several cores: allocates, schedules, and yields the energy and latency.
class InterCoreMappingStage : public Stage, public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.InterCoreMappingStage",
      .name = "InterCoreMappingStage",
      .aliases = "GeneticAlgorithmAllocationStage",
      .summary = "schedules a network on several cores: which core does what and when, to the cycle",
      .doc =
          R"(Gives each node of the network a core and a start, with every transfer, eviction and reservation of links and memories,
and yields the schedule with its energy and latency. Three settings decide how well:

* `search_order: true` searches for the order of the nodes together with their cores, which gains more latency than
  cores alone;
* `evaluation_limit` is the number of schedules that the search may make (or `time_limit`, in seconds);
* `all_results: true` yields every result that no other one beats in both latency and energy, by ascending energy,
  instead of the one with the lowest latency.

The search climbs from the best allocations so far, for both latency and energy; where there are few allocations, all
are tried. Where no group of nodes has a choice of cores, or `core_allocation` makes all choices, there is one schedule
to evaluate. A search tells its choices in the result as `choice`: given as settings, they make the same schedule again.
The same `seed` gives the same result on any number of threads, unless `time_limit` ends the search. The seconds are
those of a clock on the wall. One schedule comes before all guesses and gets a quarter of a second more; where that is
too little, there is no result.

Without `search_order`, nodes are placed in the order of `scheduling_order`: the next one is the first of the nodes
whose inputs have been scheduled. Without an order, the deepest layer comes first (`scheduler_candidate_selection:
memory`, which keeps intermediate data short-lived). With `latency`, the node that can start first is next.

Every schedule that is yielded has been replayed by a checker that shares nothing with the scheduler
(docs/scheduling.md). `compat: stream-0.0.8` reproduces the schedules of that version instead, some of which could not
happen, and are not checked; `scheduler_candidate_selection` is ignored as there.

With `inner_fusion` of IntraCoreMappingStage, nodes of each schedule that is yielded exchange tensors inside of their
cores, as far as that saves energy. Times and transfers stay, and searches compare schedules by their energy before it.
`exchanges` of the schedule lists these tensors.

`plot_full_schedule` draws each schedule that is yielded, as `VisualizationStage` does: `<plot_file_name>.html`, the
same pictures as `.vg.json`, and a trace as `.perfetto.json`. Links with their transfers are rows of the page with
`plot_data_transfer`. `plot_hof` draws the results of a search, `<plot_file_name>_front.html`: latency and energy of
each result that no other one beats in both, with its allocation. Without `plot_file_name` the name is
`<dump_folder>/schedule`.

`core_allocation` names cores by hand. As a map, it goes from layer, or `layer,group`, to core, and must name every
layer that has a choice. As a list, it has one core id for each gene: the pairs (layer id, group) with more than one
candidate core, sorted. A wrong entry is refused with the genes and their candidates.

```yaml
  - InterCoreMappingStage: {search_order: true, evaluation_limit: 5000}
  - InterCoreMappingStage: {nb_ga_individuals: 32, nb_ga_generations: 20, operands_to_prefetch: [W]}
  - InterCoreMappingStage: {core_allocation: {0: 0, "1,0": 1}, back_filling: true}
```)",
      .flags = ZZ_STAGE_LEAF | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  int64_t nb_ga_individuals = 16;
  int64_t nb_ga_generations = 16;
  int64_t seed = 0;
  Value core_allocation;
  std::string search = "automatic";
  bool search_order = false;
  int64_t evaluation_limit = 0;
  double time_limit = 0;
  bool all_results = false;
  std::vector<std::string> operands_to_prefetch;
  Value scheduling_order;
  std::string scheduler_candidate_selection = "memory";
  double critical_path_weight = 10;
  Value layer_ranks;
  bool back_filling = false;
  int64_t samples_at_once = 0;
  Value segments;
  Value period;
  Value resident;
  bool plot_hof = false;
  bool plot_full_schedule = false;
  bool plot_data_transfer = false;
  std::string plot_file_name;
  std::string dump_folder;
  static constexpr auto params = zz::params(
      param<&InterCoreMappingStage::nb_ga_individuals>("nb_ga_individuals",
                                                       "genetic search: allocations in a generation")
          .allowed("[1, 1000000]"),
      param<&InterCoreMappingStage::nb_ga_generations>("nb_ga_generations",
                                                       "genetic search: generations after the first one")
          .allowed("[0, 1000000]"),
      param<&InterCoreMappingStage::seed>("seed", "start of the random numbers; other seeds, other results")
          .allowed("[0, inf]"),
      param<&InterCoreMappingStage::core_allocation>(
          "core_allocation",
          "the allocation, which is then not searched: a list of core ids in the order "
          "of the genes, or a map from `layer` or `layer,group` to core"),
      param<&InterCoreMappingStage::search>(
          "search",
          "genetic: climbs from the leanest and the fastest allocations so far, in place of "
          "Stream's NSGA-II; "
          "exhaustive: every allocation, those that only exchange equal "
          "cores once; annealing: for latency alone; automatic: exhaustive where that is quick, else "
          "genetic, followed by annealing where orders are searched")
          .allowed("automatic|genetic|exhaustive|annealing"),
      param<&InterCoreMappingStage::search_order>("search_order",
                                                  "searches for the order in which nodes are placed, too"),
      param<&InterCoreMappingStage::evaluation_limit>(
          "evaluation_limit",
          "most schedules that the search makes; 0: as individuals and generations ask for")
          .unit("schedules")
          .allowed("[0, inf]"),
      param<&InterCoreMappingStage::time_limit>(
          "time_limit",
          "how long the search may take, with making and checking the schedule; 0: as long as it needs. "
          "Results may then vary from run to run")
          .unit("s")
          .allowed("[0, inf]"),
      param<&InterCoreMappingStage::all_results>(
          "all_results",
          "yields every result that no other one beats in both latency and energy, by "
          "ascending energy, instead of the one with the lowest latency"),
      param<&InterCoreMappingStage::operands_to_prefetch>(
          "operands_to_prefetch",
          "layer operands, such as W, whose constants are brought to the cores before the first node runs"),
      param<&InterCoreMappingStage::scheduling_order>(
          "scheduling_order",
          "priority of the nodes, first one first: a list of [layer id, node of the layer]; without one, "
          "descending. DetermineSchedulingOrderStage provides it"),
      param<&InterCoreMappingStage::scheduler_candidate_selection>(
          "scheduler_candidate_selection",
          "which of several nodes is next. memory: the first in the order, by default the deepest; "
          "latency: the one that can start first; critical_path: the one with the smallest end of "
          "predecessors "
          "minus `critical_path_weight` times the longest remaining path")
          .allowed("memory|latency|critical_path"),
      param<&InterCoreMappingStage::critical_path_weight>(
          "critical_path_weight", "of `scheduler_candidate_selection: critical_path`")
          .allowed("[0, inf]"),
      param<&InterCoreMappingStage::layer_ranks>("layer_ranks",
                                                 "priority of the nodes in place of `scheduling_order`: a "
                                                 "map from each layer id to [offset, slope]. The "
                                                 "rank of node n of N is offset + slope * n / N, and the "
                                                 "smallest is first; equal ones by the order"),
      param<&InterCoreMappingStage::back_filling>(
          "back_filling", "a node may use a gap that nodes placed earlier left on its core"),
      param<&InterCoreMappingStage::samples_at_once>(
          "samples_at_once",
          "with several samples: how many of them are in flight at once, so that none runs ahead until "
          "memories are full; 0: all")
          .allowed("[0, 2147483647]"),
      param<&InterCoreMappingStage::segments>(
          "segments",
          "with several samples: ids of the layers at which segments begin. All samples go through a "
          "segment "
          "before the first one goes on to the next, so that its constants may stay while they do"),
      param<&InterCoreMappingStage::period>("period",
                                            "steady state: cycles after which the same schedule begins "
                                            "again with the next samples, while this "
                                            "one may still run, with nodes beside those of other repeats; "
                                            "`least`: as if there were no others, and "
                                            "as few as cores, links and memories then allow")
          .unit("cycles"),
      param<&InterCoreMappingStage::resident>(
          "resident",
          "in the steady state: ids of the layers whose constants stay on their cores from one repeat to "
          "the "
          "next, in the order in which they take room; a warning names those that do not stay"),
      param<&InterCoreMappingStage::plot_hof>(
          "plot_hof", "draws the results of a search that no other one beats in both latency and energy"),
      param<&InterCoreMappingStage::plot_full_schedule>("plot_full_schedule",
                                                        "draws each schedule that is yielded"),
      param<&InterCoreMappingStage::plot_data_transfer>(
          "plot_data_transfer", "shows links and their transfers in the picture of the schedule"),
      param<&InterCoreMappingStage::plot_file_name>(
          "plot_file_name",
          "name of the pictures, whose endings are appended; without one, "
          "`<dump_folder>/schedule`"),
      param<&InterCoreMappingStage::dump_folder>(
          "dump_folder", "the folder for pictures without `plot_file_name`; made when it is not there"),
      compat_setting);
  static constexpr Port consumes[] = {
      zz::object("multi_core_accelerator", "multi_core_accelerator",
                 "the cores, their memories, and the links between them"),
      zz::object("computation_nodes", "computation_node_graph",
                 "the nodes to run, with their dependencies"),
      zz::object("core_costs", "core_costs", "what a node of each layer costs on each core")};
  static constexpr Metric metrics[] = {
      metric(inner_fusion::tensors,
             "results of nodes that stay inside of their core; only with `inner_fusion`")
          .not_summed(),
      metric(inner_fusion::saved, "by how much that lowers the energy").unit("pJ").not_summed(),
      metric(batch_figures::first, "with several samples: when the results of the first one are off-chip")
          .unit("cycles")
          .not_summed(),
      metric(batch_figures::per_sample,
             "the latency, or with `period` the period, divided by the number of samples")
          .unit("cycles")
          .not_summed(),
      metric(core::period_metric, "with `period`: cycles from one repeat of the schedule to the next")
          .unit("cycles")
          .not_summed(),
      metric(batch_figures::first_fill,
             "... until the constants that stay are there, before the first repeat")
          .unit("cycles")
          .not_summed()};

  void prepare();
  void check(Value ctx) const {
    core::check_prefetched_operands(operands_to_prefetch, *graph(ctx));
    core::ScheduleChoice ranks;
    core::read_layer_ranks(to_core(layer_ranks), *graph(ctx), ranks);
    core::read_segments(to_core(segments), *graph(ctx), ranks);
    core::read_period(to_core(period), to_core(resident), *graph(ctx), ranks);
  }
  Results run(Value ctx);

 private:
  std::shared_ptr<const core::ComputationNodeGraph> graph(const Value& ctx) const;
  std::shared_ptr<const core::ScheduleProblem> problem(const Value& ctx) const;
  /// The order of nodes where it is not searched; without cores.
  core::ScheduleChoice order(const core::ComputationNodeGraph& graph) const;
  /// The problem with the schedules to yield, by ascending energy: one, or all that a search finds.
  struct Choices {
    std::shared_ptr<const core::ScheduleProblem> problem;
    core::ScheduleSearchResult found;
  };
  Choices choices(const Value& ctx) const;
  Choices choices_within(const Value& ctx, double seconds) const;
  /// `seconds`: 0: as many as it takes.
  core::ScheduleSearchResult searched(const std::shared_ptr<const core::ScheduleProblem>& problem,
                                      double seconds) const;
  /// Says which constants stay and which of `resident` do not. Throws Error(ZZ_E_INVALID) where none does.
  void tell_resident(const core::Schedule& schedule, const core::ScheduleChoice& asked) const;
  [[noreturn]] void refuse_time_limit(const core::ComputationNodeGraph& graph) const;
  /// The schedule of a point, checked, within so many seconds.
  core::Schedule made(core::Scheduler& scheduler, const core::FoundSchedule& point, double bound,
                      double seconds) const;
  /// Throws Error(ZZ_E_INTERNAL) for a schedule that could not happen.
  void check(const core::Schedule& schedule) const;
  /// Which results of nodes stay inside of their cores, as metrics and as a message.
  void tell_exchanges(core::Evaluation& evaluation) const;
  std::string picture_stem() const;

  SchedulePictures pictures_;
};

// For a sweep with thousands of openings.
constexpr std::int64_t most_pictures = 200;

core::SearchMethod search_method(std::string_view name) {
  if (name == "genetic") return core::SearchMethod::genetic;
  if (name == "exhaustive") return core::SearchMethod::exhaustive;
  if (name == "annealing") return core::SearchMethod::annealing;
  return core::SearchMethod::automatic;
}

void InterCoreMappingStage::prepare() {
  if (!period.is_null() && !compat.empty())
    throw Error(
        ZZ_E_INVALID,
        fmt::format("'period' is of schedules by the rules of zz, which `compat: {}` turns off; leave "
                    "out one of them",
                    compat));
  if (search_order && !core_allocation.is_null())
    throw Error(ZZ_E_INVALID,
                "'search_order' has nothing to do where 'core_allocation' is given; leave out one of them");
  if (search_order && (back_filling || !layer_ranks.is_null()))
    throw Error(ZZ_E_INVALID,
                fmt::format("'search_order' searches for what '{}' says; leave out one of them",
                            back_filling ? "back_filling" : "layer_ranks"));
  if ((plot_full_schedule || plot_hof) && plot_file_name.empty() && dump_folder.empty())
    throw Error(
        ZZ_E_INVALID,
        fmt::format("'{}' draws pictures, but neither 'plot_file_name' nor 'dump_folder' says where",
                    plot_full_schedule ? "plot_full_schedule" : "plot_hof"));
  pictures_.set(picture_stem(), {.links = plot_data_transfer}, most_pictures);
}

std::string InterCoreMappingStage::picture_stem() const {
  if (plot_file_name.empty()) return (std::filesystem::path(dump_folder) / "schedule").string();
  return without_picture_extension(plot_file_name);
}

core::ScheduleChoice InterCoreMappingStage::order(const core::ComputationNodeGraph& graph) const {
  core::ScheduleChoice choice;
  choice.dispatch = core::dispatch_rule_of(scheduler_candidate_selection, rules());
  if (choice.dispatch == core::DispatchRule::critical_path)
    choice.weight = critical_path_weight;
  else if (critical_path_weight != choice.weight)
    log(Level::warning,
        "'critical_path_weight' has no effect: it is of `scheduler_candidate_selection: critical_path`");
  choice.back_filling = back_filling;
  if (samples_at_once != 0 && graph.samples == 1)
    log(Level::warning, "'samples_at_once' has no effect: the nodes are those of one sample");
  else if (samples_at_once > graph.samples)
    log(Level::warning,
        fmt::format("'samples_at_once' is {}, but there are {} samples: all are in flight at once",
                    samples_at_once, graph.samples));
  if (graph.samples > 1) choice.samples_at_once = static_cast<int>(samples_at_once);
  if (!segments.is_null() && graph.samples == 1)
    log(Level::warning, "'segments' has no effect: the nodes are those of one sample");
  core::read_segments(to_core(segments), graph, choice);
  if (graph.samples == 1) choice.segments.clear();
  core::read_layer_ranks(to_core(layer_ranks), graph, choice);
  core::read_period(to_core(period), to_core(resident), graph, choice);
  return choice;
}

std::shared_ptr<const core::ComputationNodeGraph> InterCoreMappingStage::graph(const Value& ctx) const {
  return object<core::ComputationNodeGraph>(ctx, "computation_nodes"_n, "computation_node_graph");
}

std::shared_ptr<const core::ScheduleProblem> InterCoreMappingStage::problem(const Value& ctx) const {
  core::ScheduleOptions options;
  options.prefetch = operands_to_prefetch;
  if (scheduling_order) options.order = core::user_node_order(to_core(scheduling_order));
  options.rules = rules();
  core::check_prefetched_operands(operands_to_prefetch, *graph(ctx));
  return std::make_shared<const core::ScheduleProblem>(
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator"),
      graph(ctx), object<core::CoreCosts>(ctx, "core_costs"_n, "core_costs"), std::move(options));
}

core::ScheduleSearchResult InterCoreMappingStage::searched(
    const std::shared_ptr<const core::ScheduleProblem>& problem, double seconds) const {
  // The first generation is made besides.
  const auto most = evaluation_limit > 0 ? evaluation_limit : nb_ga_individuals * (nb_ga_generations + 1);
  Progress display = progress("schedules", static_cast<uint64_t>(most));
  core::ScheduleSearchOptions options;
  options.evaluation_limit = evaluation_limit;
  options.time_limit = seconds;
  options.seed = static_cast<std::uint64_t>(seed);
  options.method = search_method(search);
  options.individuals = static_cast<int>(nb_ga_individuals);
  options.generations = static_cast<int>(nb_ga_generations);
  options.orders_move = search_order;
  options.order = order(*problem->graph());
  options.on_schedule = [&display] { display.advance(); };
  core::ScheduleSearchResult found = core::search_schedules(problem, options, parallel_for());
  if (core::interruption.of_run()) throw Error(ZZ_E_CANCELLED, "stopped while allocations were searched");
  count("schedules evaluated", static_cast<uint64_t>(found.schedules));
  if (found.infeasible > 0) count("schedules that do not fit", static_cast<uint64_t>(found.infeasible));
  if (found.schedules == 0 && time_limit > 0) refuse_time_limit(*problem->graph());
  if (found.front.empty()) {
    const std::string text =
        fmt::format("none of {} schedules fits{}: {}", found.schedules,
                    time_limit > 0 ? " that were made within 'time_limit'" : "", found.reason);
    if (found.exhaustive) throw core::NoResult(text);
    throw core::NotFound(text + "; more nb_ga_generations or time_limit tries more of them");
  }
  const double every = options.order.period;
  log(Level::info,
      fmt::format("{} schedules{}{}: the shortest {} {} cycles, no schedule less than {:.0f}",
                  found.schedules, found.exhaustive ? ", all that there are" : "",
                  every > 0 ? fmt::format(", with a repeat every {} cycles", every) : std::string(),
                  every < 0 ? "begins again after" : "takes", found.front.back().latency,
                  std::floor(found.bounds.latency.value)));
  return found;
}

InterCoreMappingStage::Choices InterCoreMappingStage::choices_within(const Value& ctx,
                                                                     double seconds) const {
  const auto begin = std::chrono::steady_clock::now();
  const auto problem = this->problem(ctx);
  const bool given = !core_allocation.is_null();
  // Without a choice of cores, the order can still be searched.
  if (!given && (search_order || !problem->genes().empty())) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return {problem, searched(problem, seconds > 0 ? std::max(seconds - spent.count(), 1e-9) : 0)};
  }
  core::ScheduleChoice choice = order(*problem->graph());
  if (given) choice.cores = core::user_allocation(to_core(core_allocation), *problem);
  count("schedules evaluated", 1);
  core::ScheduleSearchResult result;
  core::FoundSchedule& only = result.front.emplace_back();
  only.problem = problem;
  only.choice = std::move(choice);
  result.bounds.latency.value = period.is_null() ? core::schedule_bound(*problem)
                                                 : core::period_bound(*problem, only.choice.resident);
  return {problem, std::move(result)};
}

InterCoreMappingStage::Choices InterCoreMappingStage::choices(const Value& ctx) const {
  const bool timed = time_limit > 0 && core_allocation.is_null();
  if (!timed) return choices_within(ctx, 0);
  const core::Deadline deadline(time_limit + core::seconds_of_grace);
  try {
    return choices_within(ctx, time_limit);
  } catch (const core::Interrupted&) {
    if (!deadline.is_over()) throw;
    refuse_time_limit(*graph(ctx));
  }
}

void InterCoreMappingStage::refuse_time_limit(const core::ComputationNodeGraph& graph) const {
  throw core::NotFound(fmt::format(
      "'time_limit' ended the search after {:g} s, before one schedule of {} nodes was made and "
      "checked; give more time, or cut the network into fewer nodes",
      time_limit, graph.nodes.size()));
}

core::Schedule InterCoreMappingStage::made(core::Scheduler& scheduler, const core::FoundSchedule& point,
                                           double bound, double seconds) const {
  const core::Deadline deadline(seconds);
  try {
    core::Schedule schedule = scheduler.schedule(point.choice);
    if (schedule.latency_bound <= 0) schedule.latency_bound = bound;
    core::exchange_inside_cores(schedule);
    check(schedule);
    return schedule;
  } catch (const core::Interrupted&) {
    if (!deadline.is_over()) throw;
    refuse_time_limit(*point.problem->graph());
  }
}

void InterCoreMappingStage::check(const core::Schedule& schedule) const {
  if (!schedule.rules.empty()) return;
  constexpr std::size_t most = 3;
  const std::vector<core::Violation> violations = core::find_violations(schedule, most);
  if (violations.empty()) return;
  std::string text = "the scheduler made a schedule that could not happen:";
  for (const core::Violation& violation : violations)
    text += fmt::format("\n  {}: {}", violation.rule, violation.what);
  throw Error(ZZ_E_INTERNAL, text);
}

void InterCoreMappingStage::tell_exchanges(core::Evaluation& evaluation) const {
  const core::Schedule& schedule = *evaluation.schedule;
  std::set<int> tensors;
  for (const core::Exchange& exchange : schedule.exchanges) tensors.insert(exchange.tensor);
  const double saved = core::saved_by_exchanges(schedule);
  log(Level::info, fmt::format("{} of {} results of nodes stay inside of their core, which saves {:.4g} pJ",
                               tensors.size(), schedule.graph->nodes.size(), saved));
  evaluation.metrics.emplace_back(inner_fusion::tensors, static_cast<double>(tensors.size()));
  evaluation.metrics.emplace_back(inner_fusion::saved, saved);
}

void InterCoreMappingStage::tell_resident(const core::Schedule& schedule,
                                          const core::ScheduleChoice& asked) const {
  const core::ResidentFigures figures = core::resident_figures(schedule, asked.resident);
  for (const int layer : figures.left_out)
    log(Level::warning, "'resident': " + core::does_not_stay(*schedule.graph, layer));
  if (schedule.resident.empty()) return;
  log(Level::info,
      fmt::format("the constants of {} layers, {} bits, stay on their cores; before the first "
                  "repeat {} cycles and {:.5g} pJ bring them there, which no figure of a repeat "
                  "counts",
                  schedule.resident.size(), figures.bits, figures.fill_cycles, figures.fill_energy));
}

Results InterCoreMappingStage::run(Value ctx) {
  if (plot_full_schedule) pictures_.begin();
  const auto begin = std::chrono::steady_clock::now();
  auto [problem, found] = choices(ctx);
  // Without a search there is one schedule and no choice to show.
  if (plot_hof && found.schedules > 0)
    draw_front(*this, picture_stem() + "_front", *problem, found, all_results);
  if (!all_results) found.front.erase(found.front.begin(), found.front.end() - 1);
  core::Scheduler scheduler(problem);
  const bool timed = time_limit > 0 && found.schedules > 0 && !all_results;
  for (const core::FoundSchedule& point : found.front) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    const double seconds = timed ? std::max(time_limit - spent.count(), core::seconds_of_grace)
                                 : std::numeric_limits<double>::infinity();
    const double bound = point.choice.period > 0 ? core::period_bound(*problem, point.choice.resident)
                                                 : found.bounds.latency.value;
    core::Schedule schedule = made(scheduler, point, bound, seconds);
    if (schedule.period > 0) tell_resident(schedule, point.choice);
    const auto deviations = core::find_deviations(*problem, point.choice, schedule);
    auto evaluation = std::make_shared<core::Evaluation>(core::schedule_evaluation(std::move(schedule)));
    evaluation->deviations.insert(evaluation->deviations.end(), deviations.begin(), deviations.end());
    const double every = evaluation->schedule->period;
    if (const int samples = problem->graph()->samples; samples > 1 || every > 0) {
      evaluation->metrics.emplace_back(batch_figures::first,
                                       core::latency_of_first_sample(*evaluation->schedule));
      evaluation->metrics.emplace_back(batch_figures::per_sample,
                                       (every > 0 ? every : evaluation->latency_total2) / samples);
    }
    if (every > 0) evaluation->metrics.emplace_back(core::period_metric, every);
    if (!evaluation->schedule->fill.empty())
      evaluation->metrics.emplace_back(batch_figures::first_fill,
                                       core::cycles_of_fill(*evaluation->schedule));
    if (!problem->costs()->exchanging.empty()) tell_exchanges(*evaluation);
    if (plot_full_schedule) pictures_.draw(*this, *evaluation);
    co_yield Result(wrap(std::shared_ptr<const core::Evaluation>(std::move(evaluation))));
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(InterCoreMappingStage)

}  // namespace zz::plugins
