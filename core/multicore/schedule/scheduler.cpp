#include "core/multicore/schedule/scheduler.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/multicore/schedule/detail/list_scheduler.hpp"

namespace zz::core {
namespace {

void check_choice(const ScheduleProblem::Tables& tables, const ScheduleChoice& choice) {
  if (choice.cores.size() != tables.genes.size()) {
    throw InputError(
        fmt::format("an allocation of {} cores; expected one for each of the {} groups that have "
                    "a choice",
                    choice.cores.size(), tables.genes.size()));
  }
  for (std::size_t i = 0; i < choice.cores.size(); ++i) {
    const std::vector<int>& cores = tables.genes[i].cores;
    if (std::find(cores.begin(), cores.end(), choice.cores[i]) != cores.end()) continue;
    const Layer& layer = *tables.graph->layers[tables.genes[i].layer].layer;
    throw InputError(fmt::format("core {} cannot run group {} of layer {} '{}'; expected one of {}",
                                 choice.cores[i], tables.genes[i].group, layer.id, layer.name,
                                 fmt::join(cores, ", ")));
  }
  const std::size_t layers = tables.graph->layers.size();
  if ((!choice.layer_offset.empty() && choice.layer_offset.size() != layers) ||
      (!choice.layer_slope.empty() && choice.layer_slope.size() != layers)) {
    throw InputError(
        fmt::format("ranks for {} layers; expected none or {}", choice.layer_offset.size(), layers));
  }
}

}  // namespace

DispatchRule dispatch_rule_of(std::string_view candidate_selection, const Rules& rules) {
  if (rules.candidate_selection_ignored) return DispatchRule::rank;
  if (candidate_selection == "latency") return DispatchRule::earliest_start;
  return candidate_selection == "critical_path" ? DispatchRule::critical_path : DispatchRule::rank;
}

const char* dispatch_name(DispatchRule rule) {
  switch (rule) {
    case DispatchRule::earliest_start:
      return "earliest_start";
    case DispatchRule::critical_path:
      return "critical_path";
    case DispatchRule::rank:
      break;
  }
  return "rank";
}

class Scheduler::State {
 public:
  explicit State(std::shared_ptr<const ScheduleProblem> given)
      : problem(std::move(given)), state(problem->tables()) {}

  ScheduleFigures make_schedule(const ScheduleChoice& choice, bool exact_offchip,
                                ScheduleRecorder* recorder) {
    double horizon = 0;
    if (choice.period > 0) {
      const ScheduleFigures alone = make_alone(choice);
      if (!alone.feasible) return {};
      horizon = 1.5 * alone.latency + 2 * choice.period;
    }
    state.reset(choice, exact_offchip || choice.period != 0, horizon);
    const ScheduleFigures figures = ListScheduler(state, recorder).make_schedule(choice);
    // Infeasible ones are made again, so that the state always has the failure of the latest choice.
    if (choice.period == ScheduleChoice::least_period && figures.feasible) {
      known_ = choice;
      known_figures_ = figures;
    }
    return figures;
  }

  /// The same choice as if there were no other repeats: how far these may reach.
  ScheduleFigures make_alone(ScheduleChoice choice) {
    choice.period = ScheduleChoice::least_period;
    return known_ == choice ? known_figures_ : make_schedule(choice, true, nullptr);
  }

  std::vector<Transfer> fill(const ScheduleChoice& choice) {
    Schedule only_fill;
    ScheduleRecorder recorder(only_fill);
    // It happens once, with a clock of its own.
    ScheduleChoice once = choice;
    once.period = ScheduleChoice::least_period;
    state.reset(once, true);
    ListScheduler(state, &recorder).fill(once);
    if (state.failed()) throw NoResult(to_string(state.failure, problem->tables()));
    return std::move(only_fill.transfers);
  }

  ScheduleChoice known_;  ///< to make_alone()
  ScheduleFigures known_figures_;

  std::shared_ptr<const ScheduleProblem> problem;
  ScheduleState state;
  bool count_offchip = false;  ///< an evaluation showed that it is necessary
  mutable std::string reason;
};

Scheduler::Scheduler(std::shared_ptr<const ScheduleProblem> problem)
    : state_(std::make_unique<State>(std::move(problem))) {}

Scheduler::~Scheduler() = default;

Scheduler::Scheduler(Scheduler&&) noexcept = default;

ScheduleFigures Scheduler::evaluate(const ScheduleChoice& choice) {
  check_choice(state_->problem->tables(), choice);
  ScheduleFigures figures = state_->make_schedule(choice, state_->count_offchip, nullptr);
  if (state_->state.failure.kind == ScheduleFailure::Kind::offchip_uncounted) {
    state_->count_offchip = true;
    figures = state_->make_schedule(choice, true, nullptr);
  }
  return figures;
}

const std::string& Scheduler::reason() const {
  state_->reason = to_string(state_->state.failure, state_->problem->tables());
  return state_->reason;
}

const std::vector<int>& Scheduler::resident() const { return state_->state.resident_layers; }

Schedule Scheduler::schedule(const ScheduleChoice& choice) {
  check_choice(state_->problem->tables(), choice);
  Schedule schedule;
  ScheduleRecorder recorder(schedule);
  const ScheduleFigures figures = state_->make_schedule(choice, true, &recorder);
  if (state_->state.failure.kind == ScheduleFailure::Kind::period) throw InputError(reason());
  if (!figures.feasible) throw NoResult(reason());
  recorder.finish(state_->state, choice, figures);
  if (!schedule.resident.empty()) schedule.fill = state_->fill(choice);
  return schedule;
}

}  // namespace zz::core
