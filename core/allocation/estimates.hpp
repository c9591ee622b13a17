#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/allocation/allocation_estimate.hpp"
#include "core/allocation/allocation_search.hpp"
#include "core/allocation/choice_memo.hpp"

namespace zz::core {

/// Estimates of allocations, each made once. A search asks for one after the other, and what it asks next
/// depends on the answer; with several threads it says what it is likely to ask, and those are made at the
/// same time. What is asked and answered is the same for any number of threads. For one thread.
class Estimates {
 public:
  /// `parallel` runs its calls on so many threads.
  Estimates(std::shared_ptr<const ScheduleProblem> problem, ParallelFor parallel, int threads);

  ScheduleFigures of(const ScheduleChoice& choice);
  /// How many different allocations were asked for.
  std::int64_t asked() const { return static_cast<std::int64_t>(answers_.size()); }

  /// How many estimates to make ahead at a time, of which one is sure to be needed; 1: none.
  std::size_t at_once() const { return estimators_.size(); }
  /// True when the answer takes no time.
  bool ready(const ScheduleChoice& choice) const { return answers_.find(choice) || ahead_.find(choice); }
  /// Makes those that are not ready.
  void prepare(const std::vector<ScheduleChoice>& likely);

 private:
  AllocationEstimate& estimator(std::size_t slot);

  std::shared_ptr<const ScheduleProblem> problem_;
  ParallelFor parallel_;
  std::vector<std::unique_ptr<AllocationEstimate>> estimators_;  ///< by slot, made when they are needed
  ChoiceMemo answers_, ahead_;
};

}  // namespace zz::core
