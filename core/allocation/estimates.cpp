#include "core/allocation/estimates.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace zz::core {

Estimates::Estimates(std::shared_ptr<const ScheduleProblem> problem, ParallelFor parallel, int threads)
    : problem_(std::move(problem)),
      parallel_(std::move(parallel)),
      at_once_(static_cast<std::size_t>(std::max(1, threads))) {}

Estimates::Estimator Estimates::take_estimator() {
  {
    const std::lock_guard lock(idle_mutex_);
    if (!idle_.empty()) {
      Estimator estimator = std::move(idle_.back());
      idle_.pop_back();
      return estimator;
    }
  }
  return std::make_unique<AllocationEstimate>(problem_);
}

void Estimates::give_back(Estimator estimator) {
  const std::lock_guard lock(idle_mutex_);
  idle_.push_back(std::move(estimator));
}

ScheduleFigures Estimates::of(const ScheduleChoice& choice) {
  if (const ScheduleFigures* const answer = answers_.find(choice)) return *answer;
  ScheduleFigures figures;
  if (const ScheduleFigures* const made = ahead_.find(choice)) {
    figures = *made;
  } else {
    Estimator estimator = take_estimator();
    figures = estimator->estimate(choice.cores);
    give_back(std::move(estimator));
  }
  answers_.insert(choice, figures);
  return figures;
}

void Estimates::prepare(const std::vector<ScheduleChoice>& likely) {
  std::vector<const ScheduleChoice*> fresh;
  for (const ScheduleChoice& choice : likely) {
    const auto same = [&](const ScheduleChoice* other) { return *other == choice; };
    if (!ready(choice) && std::none_of(fresh.begin(), fresh.end(), same)) fresh.push_back(&choice);
  }
  if (fresh.size() < 2) return;
  std::vector<ScheduleFigures> figures(fresh.size());
  std::atomic<std::size_t> next = 0;
  parallel_(std::min(fresh.size(), at_once_), [&](std::size_t) {
    std::size_t i = next++;
    if (i >= fresh.size()) return;
    Estimator estimator = take_estimator();
    for (; i < fresh.size(); i = next++) figures[i] = estimator->estimate(fresh[i]->cores);
    give_back(std::move(estimator));
  });
  for (std::size_t i = 0; i < fresh.size(); ++i) ahead_.insert(*fresh[i], figures[i]);
}

ScheduleFigures OwnEstimates::of(const ScheduleChoice& choice) {
  if (const ScheduleFigures* const answer = answers_.find(choice)) return *answer;
  const ScheduleFigures* const known = common_.known(choice);
  const ScheduleFigures figures = known ? *known : estimator_->estimate(choice.cores);
  answers_.insert(choice, figures);
  return figures;
}

}  // namespace zz::core
