#include "core/allocation/estimates.hpp"

#include <utility>

namespace zz::core {

Estimates::Estimates(std::shared_ptr<const ScheduleProblem> problem, ParallelFor parallel)
    : problem_(std::move(problem)), parallel_(std::move(parallel)) {}

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
  if (const ScheduleFigures* const known = answers_.find(choice)) return *known;
  OwnEstimates own(*this);
  const ScheduleFigures figures = own.of(choice);
  add(own.take());
  return figures;
}

void Estimates::make(const std::vector<ScheduleChoice>& choices) {
  std::vector<ChoiceMemo> made(choices.size());
  parallel_(choices.size(), [&](std::size_t i) {
    OwnEstimates own(*this);
    own.of(choices[i]);
    made[i] = own.take();
  });
  for (const ChoiceMemo& memo : made) add(memo);
}

ScheduleFigures OwnEstimates::of(const ScheduleChoice& choice) {
  for (const ChoiceMemo* memo : {&common_.answers_, &made_}) {
    if (const ScheduleFigures* const known = memo->find(choice)) return *known;
  }
  const ScheduleFigures figures = estimator_->estimate(choice.cores);
  made_.insert(choice, figures);
  return figures;
}

}  // namespace zz::core
