#include "core/allocation/estimates.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace zz::core {

Estimates::Estimates(std::shared_ptr<const ScheduleProblem> problem, ParallelFor parallel, int threads)
    : problem_(std::move(problem)),
      parallel_(std::move(parallel)),
      estimators_(static_cast<std::size_t>(std::max(1, threads))) {}

AllocationEstimate& Estimates::estimator(std::size_t slot) {
  auto& estimator = estimators_[slot];
  if (estimator == nullptr) estimator = std::make_unique<AllocationEstimate>(problem_);
  return *estimator;
}

ScheduleFigures Estimates::of(const ScheduleChoice& choice) {
  if (const ScheduleFigures* const known = answers_.find(choice)) return *known;
  const ScheduleFigures* const made = ahead_.find(choice);
  const ScheduleFigures figures = made ? *made : estimator(0).estimate(choice.cores);
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
  parallel_(std::min(fresh.size(), estimators_.size()), [&](std::size_t slot) {
    for (std::size_t i = next++; i < fresh.size(); i = next++)
      figures[i] = estimator(slot).estimate(fresh[i]->cores);
  });
  for (std::size_t i = 0; i < fresh.size(); ++i) ahead_.insert(*fresh[i], figures[i]);
}

}  // namespace zz::core
