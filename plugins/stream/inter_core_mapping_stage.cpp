#include "plugins/stream/inter_core_mapping_stage.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "core/input/stream/schedule_settings.hpp"
#include "core/multicore/check/schedule_check.hpp"
#include "core/multicore/schedule/schedule_deviations.hpp"
#include "core/multicore/schedule/schedule_evaluation.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/schedule_bound.hpp"
#include "plugins/pictures/page.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {
namespace {

// For a sweep with thousands of openings.
constexpr std::int64_t most_pictures = 200;

core::SearchMethod search_method(std::string_view name) {
  if (name == "genetic") return core::SearchMethod::genetic;
  if (name == "exhaustive") return core::SearchMethod::exhaustive;
  if (name == "annealing") return core::SearchMethod::annealing;
  return core::SearchMethod::automatic;
}

}  // namespace

void InterCoreMappingStage::prepare() {
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
  core::read_layer_ranks(to_core(layer_ranks), graph, choice);
  return choice;
}

std::shared_ptr<const core::ScheduleProblem> InterCoreMappingStage::problem(const Value& ctx) const {
  core::ScheduleOptions options;
  options.prefetch = operands_to_prefetch;
  if (scheduling_order) options.order = core::user_node_order(to_core(scheduling_order));
  options.rules = rules();
  const auto graph =
      object<core::ComputationNodeGraph>(ctx, "computation_nodes"_n, "computation_node_graph");
  core::check_prefetched_operands(operands_to_prefetch, *graph);
  return std::make_shared<const core::ScheduleProblem>(
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator"), graph,
      object<core::CoreCosts>(ctx, "core_costs"_n, "core_costs"), std::move(options));
}

core::ScheduleSearchResult InterCoreMappingStage::searched(
    const std::shared_ptr<const core::ScheduleProblem>& problem) const {
  const auto most = evaluation_limit > 0 ? evaluation_limit : nb_ga_individuals * nb_ga_generations;
  Progress display = progress("schedules", static_cast<uint64_t>(most));
  const core::ScheduleSearchOptions options{.evaluation_limit = evaluation_limit,
                                            .time_limit = time_limit,
                                            .seed = static_cast<std::uint64_t>(seed),
                                            .method = search_method(search),
                                            .individuals = static_cast<int>(nb_ga_individuals),
                                            .generations = static_cast<int>(nb_ga_generations),
                                            .orders_move = search_order,
                                            .order = order(*problem->graph()),
                                            .on_schedule = [&display] { display.advance(); }};
  core::ScheduleSearchResult found = core::search_schedules(
      problem, options,
      [this](std::size_t n, const std::function<void(std::size_t)>& fn) {
        for_each(static_cast<uint32_t>(n), [&](uint32_t i) { fn(i); });
      },
      [this] { return cancelled(); });
  if (cancelled()) throw Error(ZZ_E_CANCELLED, "stopped while allocations were searched");
  count("schedules evaluated", static_cast<uint64_t>(found.schedules));
  if (found.infeasible > 0) count("schedules that do not fit", static_cast<uint64_t>(found.infeasible));
  if (found.front.empty())
    throw Error(ZZ_E_NO_RESULT,
                fmt::format("none of {} schedules fits{}: {}", found.schedules,
                            time_limit > 0 ? " that were made within 'time_limit'" : "", found.reason));
  log(Level::info, fmt::format("{} schedules{}: the shortest takes {} cycles, no schedule less than {}",
                               found.schedules, found.exhaustive ? ", all that there are" : "",
                               found.front.back().latency, found.bounds.latency.value));
  return found;
}

core::ScheduleSearchResult InterCoreMappingStage::choices(
    const std::shared_ptr<const core::ScheduleProblem>& problem) const {
  const bool given = !core_allocation.is_null();
  // Without a choice of cores, the order can still be searched.
  if (!given && (search_order || !problem->genes().empty())) return searched(problem);
  core::ScheduleChoice choice = order(*problem->graph());
  if (given) choice.cores = core::user_allocation(to_core(core_allocation), *problem);
  count("schedules evaluated", 1);
  core::ScheduleSearchResult result;
  result.front = {{.problem = problem, .choice = std::move(choice)}};
  result.bounds.latency.value = core::schedule_bound(*problem);
  return result;
}

void InterCoreMappingStage::check(const core::Schedule& schedule) const {
  if (!schedule.rules.empty()) return;
  constexpr std::size_t most = 3;
  const std::vector<core::ScheduleViolation> violations = core::find_violations(schedule, most);
  if (violations.empty()) return;
  std::string text = "the scheduler made a schedule that could not happen:";
  for (const core::ScheduleViolation& violation : violations)
    text += fmt::format("\n  {}: {}", violation.rule, violation.what);
  throw Error(ZZ_E_INTERNAL, text);
}

Results InterCoreMappingStage::run(Value ctx) {
  if (plot_full_schedule) pictures_.begin();
  const auto problem = this->problem(ctx);
  core::ScheduleSearchResult found = choices(problem);
  // Without a search there is one schedule and no choice to show.
  if (plot_hof && found.schedules > 0)
    draw_front(*this, picture_stem() + "_front", *problem, found, all_results);
  if (!all_results) found.front.erase(found.front.begin(), found.front.end() - 1);
  core::Scheduler scheduler(problem);
  for (const core::FoundSchedule& point : found.front) {
    core::Schedule schedule = scheduler.schedule(point.choice);
    if (schedule.latency_bound <= 0) schedule.latency_bound = found.bounds.latency.value;
    check(schedule);
    const auto deviations = core::find_deviations(*problem, point.choice, schedule);
    auto evaluation = std::make_shared<core::Evaluation>(core::schedule_evaluation(std::move(schedule)));
    evaluation->deviations.insert(evaluation->deviations.end(), deviations.begin(), deviations.end());
    if (plot_full_schedule) pictures_.draw(*this, *evaluation);
    co_yield Result(wrap(std::shared_ptr<const core::Evaluation>(std::move(evaluation))));
  }
}

}  // namespace zz::plugins
