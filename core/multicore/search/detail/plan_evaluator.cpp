#include "core/multicore/search/detail/plan_evaluator.hpp"

#include <algorithm>
#include <optional>

#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

constexpr std::size_t most_at_once = 64;
/// Evaluations that take as long as making a schedule with all its transfers, and checking it.
constexpr double evaluations_for_the_result = 2.5;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

PlanFigures PreparedCuts::evaluate(const Plan& plan, double wanted_below, std::string& reason) {
  if (!make_) {
    PlanFigures none;
    none.final = false;
    return none;
  }
  EvaluatePlan evaluate;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      evaluate = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!evaluate) evaluate = make_();
  // One that is interrupted amid a schedule is lost.
  PlanFigures figures = evaluate(plan, wanted_below, reason);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(evaluate));
  return figures;
}

PlanEvaluator::Prepare given_cuts(std::shared_ptr<const ScheduleProblem> problem,
                                  std::function<EvaluatePlan()> make) {
  const auto cuts = std::make_shared<PreparedCuts>(Partition{}, std::move(problem), true, std::move(make));
  return [cuts](const std::vector<PlanTask*>& tasks, Costs) {
    for (PlanTask* task : tasks) task->prepared = cuts;
  };
}

PlanEvaluator::PlanEvaluator(Prepare prepare, ParallelFor parallel, EvaluationLimits limits,
                             Canonical canonical)
    : prepare_(std::move(prepare)),
      parallel_(std::move(parallel)),
      limits_(limits),
      canonical_(std::move(canonical)),
      begin_(std::chrono::steady_clock::now()) {}

void PlanEvaluator::evaluate(std::vector<PlanTask>& tasks, Costs costs) {
  if (remembered_ > limits_.remembered) {
    memo_.clear();
    remembered_ = 0;
  }
  std::vector<PlanTask*> some;
  for (PlanTask& task : tasks) {
    make_canonical(*task.plan);
    some.push_back(&task);
  }
  while (!some.empty()) some = evaluate_some(some, costs);
}

std::vector<PlanFigures> PlanEvaluator::evaluate(std::vector<Plan>& plans) {
  std::vector<PlanTask> tasks(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) tasks[i].plan = &plans[i];
  evaluate(tasks);
  std::vector<PlanFigures> figures;
  figures.reserve(tasks.size());
  for (PlanTask& task : tasks) figures.push_back(std::move(task.figures));
  return figures;
}

std::vector<PlanTask*> PlanEvaluator::evaluate_some(const std::vector<PlanTask*>& tasks, Costs costs) {
  std::vector<PlanTask*> fresh, equal;  // equal to a fresh one
  std::vector<Memo::value_type*> entries;
  std::vector<const Known*> twins;
  const auto limit =
      static_cast<std::size_t>(std::min<std::int64_t>(remaining(), std::numeric_limits<int>::max()));
  for (PlanTask* task : tasks) {
    std::string key = key_of(*task->plan);
    if (const auto known = memo_.find(key); known != memo_.end()) {
      if (known->second.done) {
        task->figures = known->second.figures;
        task->done = true;
      } else {
        equal.push_back(task);
        twins.push_back(&known->second);
      }
    } else if (fresh.size() < limit) {
      fresh.push_back(task);
      entries.push_back(&*memo_.emplace(std::move(key), Known{}).first);
    }
  }
  if (fresh.empty()) return {};
  try {
    evaluate_new(fresh, costs);
  } catch (...) {
    for (const Memo::value_type* entry : entries) memo_.erase(memo_.find(entry->first));
    throw;
  }
  bool all_done = true;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    all_done = all_done && fresh[i]->done;
    if (fresh[i]->done) keep(*fresh[i]);
    if (fresh[i]->done && fresh[i]->figures.final) entries[i]->second = {fresh[i]->figures, true};
  }
  std::vector<PlanTask*> again;
  for (std::size_t i = 0; i < equal.size(); ++i) {
    equal[i]->done = twins[i]->done;
    if (twins[i]->done)
      equal[i]->figures = twins[i]->figures;
    else if (all_done)
      again.push_back(equal[i]);
  }
  for (const Memo::value_type* entry : entries) {
    if (entry->second.done)
      remembered_ += entry->first.size();
    else
      memo_.erase(memo_.find(entry->first));
  }
  return again;
}

void PlanEvaluator::evaluate_new(const std::vector<PlanTask*>& tasks, Costs costs) {
  prepare_(tasks, costs);
  std::vector<std::string> reasons(tasks.size());
  std::atomic<std::size_t> next = 0;
  // A free thread takes the next plan. Figures depend on the plan alone, not on the thread.
  parallel_(std::min(tasks.size(), most_at_once), [&](std::size_t) {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      PlanTask& task = *tasks[i];
      // The first one is made however short the limit is, unless it is interrupted: without it there would
      // be nothing to hand on.
      const bool first = i == 0 && evaluations_ == 0;
      if (interruption_requested() || (!first && out_of_time())) return;
      const auto begin = std::chrono::steady_clock::now();
      try {
        task.figures = task.prepared->evaluate(*task.plan, task.wanted_below, reasons[i]);
      } catch (const Interrupted&) {
        return;
      }
      task.done = true;
      const double seconds = seconds_since(begin);
      for (double before = slowest_;
           before < seconds && !slowest_.compare_exchange_weak(before, seconds);) {
      }
    }
  });
  for (std::size_t i = 0; i < tasks.size() && reason_.empty(); ++i)
    if (tasks[i]->done && !tasks[i]->figures.feasible) reason_ = reasons[i];
}

void PlanEvaluator::keep(const PlanTask& task) {
  const PlanFigures& figures = task.figures;
  if (!figures.scheduled) return;
  ++evaluations_;
  if (!figures.feasible) {
    ++infeasible_;
    return;
  }
  PlanFront& front = task.prepared->settled ? front_ : unsettled_;
  if (front.covers(figures.cycles(), figures.energy)) return;
  ScheduledPlan scheduled{*task.plan, task.prepared->problem};
  scheduled.plan.order.resident = figures.resident;
  scheduled.plan.order.period = figures.period_of_choice;
  front.add(std::move(scheduled), figures.cycles(), figures.energy);
}

bool PlanEvaluator::known(const Plan& plan) const { return memo_.count(key_of(plan)) > 0; }

std::int64_t PlanEvaluator::remaining() const {
  if (limits_.evaluations <= 0) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, limits_.evaluations - evaluations_);
}

bool PlanEvaluator::out_of_time() const {
  return limits_.seconds > 0 &&
         seconds_since(begin_) + evaluations_for_the_result * slowest_ > limits_.seconds;
}

bool PlanEvaluator::exhausted() {
  stopped_ =
      stopped_ || remaining() == 0 || (evaluations_ > 0 && out_of_time()) || interruption_requested();
  return stopped_;
}

}  // namespace zz::core
